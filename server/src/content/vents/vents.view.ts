import type { ReactionType, VentView } from '@unsaid/contract';
import { commentViewFor, publicCommentView, type CommentsByVent } from '../comments/comments.view.ts';
import { withOwn } from '../reactions/reaction-changes.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { withoutWords, type Hiding } from '../../kernel/hiding.ts';
import { memoizeJson } from '../../platform/http/serializer.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import type { EncryptedAuthor } from '../../kernel/speakers.ts';
import type { VentRow } from '../feed/feed.hot.queries.ts';
import { toSaid } from './said.ts';
import type { VentState } from './vents.state.ts';

/**
 * The anonymity boundary of a vent: what is named here leaves the server, and the speaker does not. Authors see their
 * own id on their vent. Everybody else sees an alias that is computed from the vent alone.
 *
 * A view has two steps, because most readers see the same. `publicVentView` is shared by all readers; `ventViewFor`
 * adds what belongs to one viewer. Without anything of theirs it returns the very same object, whose JSON is memoized.
 */
export function publicVentView(
  row: VentRow,
  comments: CommentsByVent,
  publicIds: PublicIds,
  isHeavy: boolean,
): VentView {
  return {
    _id: publicIds.vent.encode(row.id),
    ...toSaid(row),
    createdAt: row.createdAt.toISOString(),
    userId: { _id: publicIds.alias.encode(row.id), allowComments: row.allowComments && row.need !== 'hug' },
    reactions: { heart: row.heart, hug: row.hug, listen: row.listen },
    comments: (comments.rows.get(row.id) ?? []).map((comment) =>
      publicCommentView(comment, comments.names, publicIds),
    ),
    commentCount: row.comments,
    isOwner: false,
    myReactions: [],
    ...(isHeavy && { heavy: true }),
  };
}

export interface LoadedVent {
  readonly row: VentRow;
  readonly author: EncryptedAuthor;
  readonly publicView: VentView;
}

export interface LoadedVents {
  readonly vents: readonly LoadedVent[];
  readonly comments: CommentsByVent;
}

export interface VentList {
  readonly ids: readonly bigint[];
  /** The states that this reader may see. */
  readonly states: readonly VentState[];
}

/** For pages of the feed cache, which many readers share. */
export function memoizeVentJson({ publicView }: LoadedVent): void {
  memoizeJson(publicView);
  publicView.comments.forEach(memoizeJson);
}

/** How one viewer sees vents. */
export interface VentReader {
  readonly viewer: Viewer;
  /** The authors of vents and comments that are the viewer's. */
  readonly own: ReadonlySet<EncryptedAuthor>;
  /** Null for a viewer who has hidden nothing. */
  readonly hiding: Hiding | null;
  /** The viewer asked for this vent, not for a list: if they hid it, it comes with its words. */
  readonly isAskedFor: boolean;
}

export function ventViewFor(
  { viewer, own, hiding, isAskedFor }: VentReader,
  { row, author, publicView }: LoadedVent,
  { rows, names }: CommentsByVent,
  myReactions: readonly ReactionType[],
  publicIds: PublicIds,
): VentView {
  const isOwner = own.has(author);
  const commentRows = rows.get(row.id) ?? [];
  const reader = { isVentOwner: isOwner, own, hiding, withHidden: false };
  const comments = publicView.comments.map((comment, index) => {
    const commentRow = commentRows[index];
    return commentRow ? commentViewFor(reader, comment, commentRow, names) : comment;
  });
  const hiddenBy = isOwner ? null : hiding?.vent(publicView);
  const differs =
    isOwner ||
    myReactions.length > 0 ||
    comments.some((comment, index) => comment !== publicView.comments[index]);
  if (!differs && !hiddenBy) return publicView;
  const { heavy, ...shared } = publicView;
  const view = {
    ...shared,
    // Its author is not shown a fold over their own words.
    ...(heavy && !isOwner && { heavy }),
    userId: isOwner ? { ...publicView.userId, _id: publicIds.user.encode(viewer.userId) } : publicView.userId,
    reactions: isOwner ? withOwn(publicView.reactions, myReactions) : publicView.reactions,
    comments,
    isOwner,
    myReactions: [...myReactions],
  };
  if (!hiddenBy) return view;
  return isAskedFor ? { ...view, hiddenBy } : withoutWords(view, hiddenBy);
}
