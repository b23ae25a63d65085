import { setTimeout as pause } from 'node:timers/promises';
import {
  closeAllVents,
  createVent,
  deleteVent,
  getVent,
  listVents,
  searchVents,
  setVentComments,
  ventWeather,
} from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ContentContext } from '../context.ts';
import { listFeed, searchFeed } from '../feed/feed.ts';
import { holdVent } from '../held/held-vents.ts';
import { listOwnWeather } from './authored-vents.ts';
import { closeVents, postVent, readVent, removeVent, setAllowComments } from './vents.ts';

export const ventsRoutes = (ctx: ContentContext): Binding[] => [
  bind(createVent, async ({ body: { later, ...vent }, viewer, caller }) => {
    // Holding writes less: without a common moment its time tells an observer of the network which it was.
    const moment = pause(ctx.ventAnswerMs);
    const [made] = await Promise.all([
      later
        ? holdVent(ctx, viewer, vent, caller.idempotencyKey)
        : postVent(ctx, viewer, vent, caller.idempotencyKey),
      moment,
    ]);
    return { vent: made };
  }),
  bind(listVents, ({ query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => listFeed(ctx, from, viewer, query)),
  ),
  bind(searchVents, ({ query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => searchFeed(ctx, from, viewer, query)),
  ),
  bind(ventWeather, async ({ viewer }) => ({ days: await listOwnWeather(ctx, viewer.person) })),
  bind(getVent, async ({ params, viewer, caller }) => ({
    vent: await ctx.ports.reads.run(caller, (from) => readVent(ctx, from, viewer, params.id)),
  })),
  bind(deleteVent, ({ params, viewer }) => removeVent(ctx, viewer, params.id)),
  bind(setVentComments, ({ params, body, viewer }) =>
    setAllowComments(ctx, viewer, params.id, body.allowComments),
  ),
  bind(closeAllVents, ({ viewer }) => closeVents(ctx, viewer)),
];
