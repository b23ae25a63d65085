import type { CommentView } from '@unsaid/contract';
import type { Person } from '../platform/persons.ts';
import type { Seals } from '../platform/seals.ts';
import type { Speakers } from '../platform/speakers.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { CommentRow } from './comments.queries.ts';

/** By the speaker of a named comment, which is another one on every row. */
export type CommentNames = ReadonlyMap<string, PublicName>;

export const nameKey = ({ speaker }: Pick<CommentRow, 'speaker'>): string => speaker.toString('latin1');

/**
 * As everybody sees it who did not write it. The vent's author never has a name or a picture here, whatever
 * they are called elsewhere.
 */
export function strangersComment(row: CommentRow, names: CommentNames, seals: Seals): CommentView {
  const name = row.voice === 'named' ? names.get(nameKey(row)) : undefined;
  // Without a name there is no picture either: the same one under several vents would be a name.
  const username = name?.username ?? null;
  return {
    _id: seals.comment.seal(row),
    text: row.body,
    createdAt: `${row.saidOn}T00:00:00+05:30`,
    userId: { username, profilePic: username === null ? null : (name?.profilePic ?? null) },
    isMine: false,
    isAuthor: row.voice === 'author',
  };
}

/** The same object to everybody else; its writer gets one of their own. */
export function toReader(
  view: CommentView,
  row: CommentRow,
  reader: Person,
  speakers: Speakers,
): CommentView {
  const isMine = speakers.numberOf(row.voice, row.speaker, reader.speakerId) !== null;
  return isMine ? { ...view, isMine } : view;
}
