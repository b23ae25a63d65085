import type { Emotion, ReactionType, VentView } from '@unsaid/contract';
import { commentView, toMinute } from '../comments/comments.view.ts';
import type { SharedComments } from '../comments/comments.service.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Seals } from '../platform/seals.ts';
import type { VentRow } from './vents.queries.ts';

/**
 * The anonymity boundary of a vent. What is here leaves the server; the author key does not. To its
 * author a vent shows their own id, to everybody else an alias made from the vent alone.
 */
export function ventView(
  row: VentRow,
  comments: SharedComments,
  viewer: Viewer,
  myReactions: readonly ReactionType[],
  seals: Seals,
): VentView {
  const isOwner = row.authorKey.equals(viewer.authorKey);
  return {
    _id: seals.vent.seal(row.id),
    title: row.title,
    text: row.body,
    emotion: row.emotion as Emotion,
    hashtags: row.hashtags,
    createdAt: toMinute(row.createdAt),
    userId: {
      _id: isOwner ? seals.user.seal(viewer.userId) : seals.alias.seal(row.id),
      allowComments: row.allowComments,
    },
    reactions: { heart: row.heart, hug: row.hug, listen: row.listen },
    comments: (comments.rows.get(row.id) ?? []).map((comment) =>
      commentView(comment, viewer, comments.names, seals),
    ),
    commentCount: row.comments,
    isOwner,
    myReactions: [...myReactions],
  };
}
