import {
  closeAllVents,
  createVent,
  deleteVent,
  getVent,
  listVents,
  searchVents,
  setVentComments,
  ventWeather,
  ventsSince,
} from '@unsaid/contract';
import { bind } from '../auth/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { AuthoredVents } from './authored-vents.service.ts';
import type { FeedService } from './feed.service.ts';
import type { SinceService } from './since.service.ts';
import type { VentsService } from './vents.service.ts';

interface VentsRoutesDeps {
  readonly vents: VentsService;
  readonly feed: FeedService;
  readonly authored: AuthoredVents;
  readonly since: SinceService;
}

export function ventsRoutes({ vents, feed, authored, since }: VentsRoutesDeps): Binding[] {
  return [
    bind(createVent, async ({ body, viewer, caller }) => ({
      vent: await vents.create(viewer, body, caller.idempotencyKey),
    })),

    bind(listVents, ({ query, viewer }) => feed.list(viewer, query)),

    bind(searchVents, ({ query, viewer }) => feed.search(viewer, query)),

    bind(ventsSince, ({ query, viewer }) => since.countSince(viewer.person, viewer.userId, query.cursor)),

    bind(ventWeather, async ({ viewer }) => ({ days: await authored.listWeather(viewer.person) })),

    bind(getVent, async ({ params, viewer }) => ({ vent: await vents.get(viewer, params.id) })),

    bind(deleteVent, ({ params, viewer }) => vents.remove(viewer, params.id)),

    bind(setVentComments, ({ params, body, viewer }) =>
      vents.setAllowComments(viewer, params.id, body.allowComments),
    ),

    bind(closeAllVents, ({ viewer }) => vents.closeAll(viewer)),
  ];
}
