import type { CommentView } from '@unsaid/contract';
import { accountKey } from '../../kernel/choices.ts';
import { commentWithoutWords, type Hiding } from '../../kernel/hiding.ts';
import type { CommentId, PublicIds } from '../../kernel/public-ids.ts';
import type { EncryptedAuthor } from '../../kernel/speakers.ts';
import type { PublicName } from '../../kernel/people.ts';
import type { CommentRow, ListedComment } from './comments.queries.ts';

/** By `nameKey`, not by the speaker: one that was copied from another row has no name. */
export type CommentNames = ReadonlyMap<string, PublicName & { readonly speakerId: Buffer }>;

export interface CommentsByVent {
  /** By vent, oldest first. */
  readonly rows: ReadonlyMap<bigint, ListedComment[]>;
  readonly names: CommentNames;
}

export const nameKey = ({ ventId, no }: CommentId): string => `${ventId} ${no}`;

/**
 * What every reader sees, except the comment's writer. The vent's author never has a name or a picture here, whatever
 * their profile says.
 */
export function publicCommentView(row: CommentRow, names: CommentNames, publicIds: PublicIds): CommentView {
  const name = row.voice === 'named' ? names.get(nameKey(row)) : undefined;
  // Without a name there is no picture either: the same picture under several vents would act as a name.
  const username = name?.username ?? null;
  return {
    _id: publicIds.comment.encode(row),
    text: row.body,
    createdAt: `${row.saidOn}T00:00:00+05:30`,
    userId: { username, profilePic: username === null ? null : (name?.profilePic ?? null) },
    isMine: false,
    isAuthor: row.voice === 'author',
  };
}

/** The account behind the name that stands on a comment; null where none does. */
function accountOf(row: CommentRow, names: CommentNames): string | null {
  const name = row.voice === 'named' ? names.get(nameKey(row)) : undefined;
  return name?.username ? accountKey(name.speakerId) : null;
}

/** How one viewer sees the comments of a vent. */
export interface CommentReader {
  /** The vent is the viewer's. */
  readonly isVentOwner: boolean;
  /** The comments that are the viewer's. */
  readonly own: ReadonlySet<EncryptedAuthor>;
  /** Null for a viewer who has hidden nothing. */
  readonly hiding: Hiding | null;
  /** Hidden comments come with their words. */
  readonly withHidden: boolean;
}

/** Returns the same object, whose JSON may be memoized, unless the viewer wrote, hid or thanked for the comment. */
export function commentViewFor(
  { isVentOwner, own, hiding, withHidden }: CommentReader,
  publicView: CommentView,
  row: ListedComment,
  names: CommentNames,
): CommentView {
  if (own.has(row)) return { ...publicView, isMine: true };
  const hiddenBy = hiding?.comment(publicView, hiding.asksForNames ? accountOf(row, names) : null);
  if (!hiddenBy) return isVentOwner && row.isThanked ? { ...publicView, isThanked: true } : publicView;
  return withHidden ? { ...publicView, hiddenBy } : commentWithoutWords(publicView, hiddenBy);
}
