import { setTimeout as pause } from 'node:timers/promises';
import * as calls from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import { closeVoice, createComment, readComments, removeComment, thankWriter } from './comments/comments.ts';
import type { ContentContext } from './context.ts';
import { listFeed, searchFeed } from './feed/feed.ts';
import { dropHeld, holdVent, listHeld, readUsualHours, releaseHeld } from './held/held-vents.ts';
import { readHeard } from './listening/heard.ts';
import { offerVents } from './listening/listening.ts';
import { reactToVent } from './reactions/reactions.ts';
import { listOwnWeather } from './vents/authored-vents.ts';
import { closeVents, postVent, readVent, removeVent, setAllowComments } from './vents/vents.ts';

export const contentRoutes = (ctx: ContentContext): Binding[] => [
  bind(calls.createVent, async ({ body: { later, ...vent }, viewer, caller }) => {
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
  bind(calls.listVents, ({ query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => listFeed(ctx, from, viewer, query)),
  ),
  bind(calls.searchVents, ({ query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => searchFeed(ctx, from, viewer, query)),
  ),
  bind(calls.ventWeather, async ({ viewer }) => ({ days: await listOwnWeather(ctx, viewer.person) })),
  bind(calls.getVent, async ({ params, viewer, caller }) => ({
    vent: await ctx.ports.reads.run(caller, (from) => readVent(ctx, from, viewer, params.id)),
  })),
  bind(calls.deleteVent, ({ params, viewer }) => removeVent(ctx, viewer, params.id)),
  bind(calls.setVentComments, ({ params, body, viewer }) =>
    setAllowComments(ctx, viewer, params.id, body.allowComments),
  ),
  bind(calls.closeAllVents, ({ viewer }) => closeVents(ctx, viewer)),
  bind(calls.listHeldVents, async ({ viewer }) => ({
    held: await listHeld(ctx, viewer.person),
    usuallyWithinHours: await readUsualHours(ctx),
  })),
  bind(calls.releaseHeldVent, async ({ params, viewer }) => ({
    vent: await releaseHeld(ctx, viewer, params.id),
  })),
  bind(calls.dropHeldVent, ({ params, viewer }) => dropHeld(ctx, viewer.person, params.id)),
  bind(calls.react, ({ body, viewer }) => reactToVent(ctx, viewer, body)),
  bind(calls.commentOnVent, async ({ body, viewer, caller }) => ({
    comment: await createComment(ctx, viewer, body, caller.idempotencyKey),
  })),
  bind(calls.listComments, ({ params, query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => readComments(ctx, from, viewer, params.id, query)),
  ),
  bind(calls.deleteComment, ({ params, viewer }) => removeComment(ctx, viewer, params)),
  bind(calls.closeToVoice, ({ params, viewer }) => closeVoice(ctx, viewer, params)),
  bind(calls.thankForComment, ({ params, viewer }) => thankWriter(ctx, viewer, params)),
  bind(calls.listen, async ({ query, viewer }) => ({ vents: await offerVents(ctx, viewer, query) })),
  bind(calls.getHeard, () => readHeard(ctx)),
];
