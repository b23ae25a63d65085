import { closeToVoice, commentOnVent, deleteComment, listComments, thankForComment } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ContentContext } from '../context.ts';
import { closeVoice, createComment, readComments, removeComment, thankWriter } from './comments.ts';

export const commentsRoutes = (ctx: ContentContext): Binding[] => [
  bind(commentOnVent, async ({ body, viewer, caller }) => ({
    comment: await createComment(ctx, viewer, body, caller.idempotencyKey),
  })),
  bind(listComments, ({ params, query, viewer, caller }) =>
    ctx.ports.reads.run(caller, (from) => readComments(ctx, from, viewer, params.id, query)),
  ),
  bind(deleteComment, ({ params, viewer }) => removeComment(ctx, viewer, params)),
  bind(closeToVoice, ({ params, viewer }) => closeVoice(ctx, viewer, params)),
  bind(thankForComment, ({ params, viewer }) => thankWriter(ctx, viewer, params)),
];
