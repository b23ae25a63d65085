import { closeToVoice, commentOnVent, deleteComment, listComments, thankForComment } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { ContentDb } from '../../platform/db.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { Reads } from '../../platform/standby/reads.ts';
import type { CommentsService } from './comments.ts';

export function commentsRoutes(comments: CommentsService, reads: Reads<ContentDb>): Binding[] {
  return [
    bind(commentOnVent, async ({ body, viewer, caller }) => ({
      comment: await comments.create(viewer, body, caller.idempotencyKey),
    })),

    bind(listComments, ({ params, query, viewer, caller }) =>
      reads.run(caller, (from) => comments.list(from, viewer, params.id, query)),
    ),

    bind(deleteComment, ({ params, viewer }) => comments.remove(viewer, params)),

    bind(closeToVoice, ({ params, viewer }) => comments.close(viewer, params)),

    bind(thankForComment, ({ params, viewer }) => comments.thank(viewer, params)),
  ];
}
