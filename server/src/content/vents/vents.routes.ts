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
import type { ContentDb } from '../../platform/db.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { Reads } from '../../platform/standby/reads.ts';
import type { AuthoredVents } from './authored-vents.ts';
import type { HeldVents } from '../held/held-vents.ts';
import type { FeedService } from '../feed/feed.ts';
import type { VentsService } from './vents.ts';

interface VentsRoutesDeps {
  readonly vents: VentsService;
  readonly held: Pick<HeldVents, 'hold'>;
  readonly feed: FeedService;
  readonly authored: AuthoredVents;
  readonly reads: Reads<ContentDb>;
  /** When a vent is answered. */
  readonly answerMs: number;
}

export function ventsRoutes({ vents, held, feed, authored, reads, answerMs }: VentsRoutesDeps): Binding[] {
  return [
    bind(createVent, async ({ body: { later, ...vent }, viewer, caller }) => {
      // Holding writes less: without a common moment its time tells an observer of the network which it was.
      const moment = pause(answerMs);
      const [made] = await Promise.all([
        (later ? held.hold : vents.create)(viewer, vent, caller.idempotencyKey),
        moment,
      ]);
      return { vent: made };
    }),

    bind(listVents, ({ query, viewer, caller }) =>
      reads.run(caller, (from) => feed.list(from, viewer, query)),
    ),

    bind(searchVents, ({ query, viewer, caller }) =>
      reads.run(caller, (from) => feed.search(from, viewer, query)),
    ),

    bind(ventWeather, async ({ viewer }) => ({ days: await authored.listWeather(viewer.person) })),

    bind(getVent, async ({ params, viewer, caller }) => ({
      vent: await reads.run(caller, (from) => vents.get(from, viewer, params.id)),
    })),

    bind(deleteVent, ({ params, viewer }) => vents.remove(viewer, params.id)),

    bind(setVentComments, ({ params, body, viewer }) =>
      vents.setAllowComments(viewer, params.id, body.allowComments),
    ),

    bind(closeAllVents, ({ viewer }) => vents.closeAll(viewer)),
  ];
}
