import type { CommentView } from '@unsaid/contract';
import type { Person } from '../pseudonyms/person-keys.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { Speakers } from '../pseudonyms/speakers.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { CommentRow } from './comments.queries.ts';

/** By `nameKey`: the encrypted speaker of a named comment, which differs on every row. */
export type CommentNames = ReadonlyMap<string, PublicName>;

export const nameKey = ({ speaker }: Pick<CommentRow, 'speaker'>): string => speaker.toString('latin1');

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

/** Returns the same object, whose JSON may be memoized, unless the viewer wrote the comment. */
export function commentViewFor(
  viewer: Person,
  publicView: CommentView,
  row: CommentRow,
  speakers: Speakers,
): CommentView {
  const isMine = speakers.numberOf(row.voice, row.speaker, viewer.speakerId) !== null;
  return isMine ? { ...publicView, isMine } : publicView;
}
