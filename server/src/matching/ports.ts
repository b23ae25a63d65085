import type { CandidateSearch, Introduction, KnownPerson, MatchFacts, PublicName } from '../kernel/people.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { StandingService } from '../kernel/standing.ts';
import type { Day } from '../platform/clock.ts';

/** What matching needs of other schemas. features.ts hands it in: matching imports none of them. */
export interface MatchingPorts {
  readonly people: FindsPeople;
  readonly hidden: FindsHidden;
  readonly leavers: FindsLeavers;
  readonly standing: Pick<StandingService, 'suspendedAmong'>;
}

interface FindsPeople {
  /** Names and avatars by user id, without departed people. */
  names(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, PublicName>>;
  /** Names with what introduces each person. */
  introductions(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Introduction>>;
  /** Null for an account that no longer exists. */
  matchFacts(userId: bigint): Promise<MatchFacts | null>;
  candidates(search: CandidateSearch): Promise<MatchFacts[]>;
  /** Ids of the users seen since a day, in batches. */
  seenSince(since: Day): AsyncIterable<readonly bigint[]>;
}

interface FindsHidden {
  /** Of these people, those whom this one hides and those who hide this one. */
  findHidden(me: KnownPerson, others: readonly KnownPerson[]): Promise<ReadonlySet<bigint>>;
}

interface FindsLeavers {
  /** Of these people, those who are leaving or have left. */
  findLeavers(people: readonly Person[]): Promise<ReadonlySet<Person>>;
}
