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
import type { AuthoredVents } from './authored-vents.service.ts';
import type { FeedService } from '../feed/feed.service.ts';
import type { VentsService } from './vents.service.ts';

interface VentsRoutesDeps {
  readonly vents: VentsService;
  readonly feed: FeedService;
  readonly authored: AuthoredVents;
}

export function ventsRoutes({ vents, feed, authored }: VentsRoutesDeps): Binding[] {
  return [
    bind(createVent, async ({ body, viewer, caller }) => ({
      vent: await vents.create(viewer, body, caller.idempotencyKey),
    })),

    bind(listVents, ({ query, viewer }) => feed.list(viewer, query)),

    bind(searchVents, ({ query, viewer }) => feed.search(viewer, query)),

    bind(ventWeather, async ({ viewer }) => ({ days: await authored.listWeather(viewer.person) })),

    bind(getVent, async ({ params, viewer }) => ({ vent: await vents.get(viewer, params.id) })),

    bind(deleteVent, ({ params, viewer }) => vents.remove(viewer, params.id)),

    bind(setVentComments, ({ params, body, viewer }) =>
      vents.setAllowComments(viewer, params.id, body.allowComments),
    ),

    bind(closeAllVents, ({ viewer }) => vents.closeAll(viewer)),
  ];
}
