import type { MatchPreference } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { Person } from './person-keys.ts';

/** What the other schemas are told of accounts. */

export interface PublicName {
  readonly username: string | null;
  readonly profilePic: string;
}

/** What a person sees of another before they answer a suggestion. The profile shows more. */
export interface Introduction extends PublicName {
  readonly bio: string;
  readonly interests: readonly string[];
  readonly likes: readonly string[];
}

/** What matching reads of a user: the profile, and the days of joining and of the last visit. */
export interface MatchFacts {
  readonly userId: bigint;
  readonly feelings: number;
  readonly feelingsFrom: Day | null;
  readonly interests: readonly string[];
  readonly likes: readonly string[];
  readonly dislikes: readonly string[];
  readonly preference: MatchPreference | null;
  readonly person: Person;
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
}

export type KnownPerson = Pick<MatchFacts, 'userId' | 'person'>;

export interface CandidateSearch {
  readonly plan: readonly { readonly feelings: number; readonly most: number }[];
  /** The `place` at which each set is entered; the search wraps around at the end. */
  readonly from: number;
  /** Nobody who was seen since is left out; some were seen up to a month before. */
  readonly seenSince: Day;
}
