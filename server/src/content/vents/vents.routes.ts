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
import type { Reads } from '../../platform/reads.ts';
import type { AuthoredVents } from './authored-vents.service.ts';
import type { FeedService } from '../feed/feed.service.ts';
import type { VentsService } from './vents.service.ts';

interface VentsRoutesDeps {
  readonly vents: VentsService;
  readonly feed: FeedService;
  readonly authored: AuthoredVents;
  readonly reads: Reads<ContentDb>;
}

export function ventsRoutes({ vents, feed, authored, reads }: VentsRoutesDeps): Binding[] {
  return [
    bind(createVent, async ({ body, viewer, caller }) => ({
      vent: await vents.create(viewer, body, caller.idempotencyKey),
    })),

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
