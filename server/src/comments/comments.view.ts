import type { CommentView } from '@unsaid/contract';
import type { Viewer } from '../platform/http/bind.ts';
import type { Seals } from '../platform/seals.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { CommentRow } from './comments.queries.ts';

/** Cut to the minute: a second could be laid beside another second. */
export function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16)}:00.000Z`;
}

/** The vent's author never has a name or a picture here, whatever they are called elsewhere. */
export function commentView(
  row: CommentRow,
  viewer: Pick<Viewer, 'userId' | 'authorKey'>,
  names: ReadonlyMap<bigint, PublicName>,
  seals: Seals,
): CommentView {
  const name = row.userId === null ? undefined : names.get(row.userId);
  return {
    _id: seals.comment.seal(row.id),
    text: row.body,
    createdAt: toMinute(row.createdAt),
    userId: { username: name?.username ?? null, profilePic: name?.profilePic ?? null },
    isMine: isWrittenBy(row, viewer, seals),
    isAuthor: row.isAuthor,
  };
}

function isWrittenBy(
  row: CommentRow,
  { userId, authorKey }: Pick<Viewer, 'userId' | 'authorKey'>,
  seals: Seals,
): boolean {
  if (row.userId !== null) return row.userId === userId;
  if (row.writerKey === null) return false;
  return row.writerKey.equals(row.isAuthor ? authorKey : seals.commentKey(userId, row.ventId));
}
