import type { CommentView } from '@unsaid/contract';
import type { Viewer } from '../platform/http/bind.ts';
import type { Seals } from '../platform/seals.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { CommentRow } from './comments.queries.ts';

/** Cut to the minute: a second could be laid beside another second. */
export function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16)}:00.000Z`;
}

type Reader = Pick<Viewer, 'userId' | 'authorKey'>;

/**
 * As everybody sees it who did not write it. The vent's author never has a name or a picture here, whatever
 * they are called elsewhere.
 */
export function strangersComment(
  row: CommentRow,
  names: ReadonlyMap<bigint, PublicName>,
  seals: Seals,
): CommentView {
  const name = row.userId === null ? undefined : names.get(row.userId);
  // Without a name there is no picture either: the same one under several vents would be a name.
  const username = name?.username ?? null;
  return {
    _id: seals.comment.seal(row.id),
    text: row.body,
    createdAt: toMinute(row.createdAt),
    userId: { username, profilePic: username === null ? null : (name?.profilePic ?? null) },
    isMine: false,
    isAuthor: row.isAuthor,
  };
}

/** The same object to everybody else; its writer gets one of their own. */
export function toReader(view: CommentView, row: CommentRow, reader: Reader, seals: Seals): CommentView {
  return isWrittenBy(row, reader, seals) ? { ...view, isMine: true } : view;
}

export function commentView(
  row: CommentRow,
  viewer: Reader,
  names: ReadonlyMap<bigint, PublicName>,
  seals: Seals,
): CommentView {
  return toReader(strangersComment(row, names, seals), row, viewer, seals);
}

function isWrittenBy(row: CommentRow, { userId, authorKey }: Reader, seals: Seals): boolean {
  if (row.userId !== null) return row.userId === userId;
  if (row.writerKey === null) return false;
  return row.writerKey.equals(row.isAuthor ? authorKey : seals.commentKey(userId, row.ventId));
}
