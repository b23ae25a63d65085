import type { CommentView } from '@unsaid/contract';
import { accountKey } from '../../kernel/choices.ts';
import { commentWithoutWords, type Hiding } from '../../kernel/hiding.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import type { Speakers } from '../../kernel/speakers.ts';
import type { PublicName } from '../../kernel/people.ts';
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

/** The account behind the name that stands on a comment; null where none does. */
function accountOf({ userId }: CommentView, row: CommentRow, speakers: Speakers): string | null {
  return row.voice === 'named' && userId.username !== null ? accountKey(speakers.named(row.speaker)) : null;
}

/** How one viewer sees comments. */
export interface CommentReader {
  readonly person: Person;
  /** Null for a viewer who has hidden nothing. */
  readonly hiding: Hiding | null;
  /** Hidden comments come with their words. */
  readonly withHidden: boolean;
}

/** Returns the same object, whose JSON may be memoized, unless the viewer wrote the comment or has hidden it. */
export function commentViewFor(
  { person, hiding, withHidden }: CommentReader,
  publicView: CommentView,
  row: CommentRow,
  speakers: Speakers,
): CommentView {
  const isMine = speakers.numberOf(row.voice, row.speaker, person.speakerId) !== null;
  if (isMine) return { ...publicView, isMine };
  const hiddenBy = hiding?.comment(
    publicView,
    hiding.asksForNames ? accountOf(publicView, row, speakers) : null,
  );
  if (!hiddenBy) return publicView;
  return withHidden ? { ...publicView, hiddenBy } : commentWithoutWords(publicView, hiddenBy);
}
