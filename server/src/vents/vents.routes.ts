import {
  closeAllVents,
  commentOnVent,
  createVent,
  deleteComment,
  deleteVent,
  getVent,
  listComments,
  listVents,
  react,
  reportVent,
  searchVents,
  setVentComments,
  ventWeather,
  ventsSince,
} from '@unsaid/contract';
import type { CommentsService } from '../comments/comments.service.ts';
import type { Copies } from '../platform/copies.ts';
import { bind, type Binding } from '../platform/http/bind.ts';
import type { ReactionsService } from '../reactions/reactions.service.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { SinceService } from './since.ts';
import type { VentsService } from './vents.service.ts';

interface VentsRoutesDeps {
  readonly vents: VentsService;
  readonly since: SinceService;
  readonly reactions: ReactionsService;
  readonly comments: CommentsService;
  readonly reports: ReportsService;
  readonly pages: Pick<Copies<unknown>, 'drop'>;
}

export function ventsRoutes({
  vents,
  since,
  reactions,
  comments,
  reports,
  pages,
}: VentsRoutesDeps): Binding[] {
  /** What changes a number on a page makes the page untrue: its reader must see their own write. */
  async function thenDrop<T>(write: Promise<T>): Promise<T> {
    const result = await write;
    await pages.drop();
    return result;
  }

  return [
    bind(createVent, async ({ body, viewer, caller }) => ({
      vent: await vents.create(viewer, body, caller.idempotencyKey),
    })),

    bind(listVents, ({ query: { mine, ...wish }, viewer }) =>
      vents.list(viewer, { ...wish, isMine: mine === 'true' }),
    ),

    bind(searchVents, ({ query, viewer }) => vents.search(viewer, query)),

    bind(ventsSince, ({ query, viewer }) => since.since(viewer.person, viewer.userId, query.cursor)),

    bind(ventWeather, async ({ viewer }) => ({ days: await vents.weather(viewer) })),

    bind(getVent, async ({ params, viewer }) => ({ vent: await vents.get(viewer, params.id) })),

    bind(deleteVent, ({ params, viewer }) => vents.remove(viewer, params.id)),

    bind(setVentComments, ({ params, body, viewer }) =>
      vents.setAllowComments(viewer, params.id, body.allowComments),
    ),

    bind(closeAllVents, ({ viewer }) => vents.closeAll(viewer)),

    bind(react, ({ body, viewer }) => thenDrop(reactions.react(viewer, body))),

    bind(reportVent, ({ body, viewer }) => reports.report(viewer, body)),

    bind(commentOnVent, async ({ body, viewer, caller }) => ({
      comment: await thenDrop(comments.add(viewer, body, caller.idempotencyKey)),
    })),

    bind(listComments, ({ params, query, viewer }) => comments.list(viewer, params.id, query.before)),

    bind(deleteComment, ({ params, viewer }) =>
      thenDrop(comments.remove(viewer, params.ventId, params.commentId)),
    ),
  ];
}
