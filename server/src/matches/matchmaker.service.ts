import { limits, type MatchPreference } from '@unsaid/contract';
import { randomInt } from 'node:crypto';
import { addDays, dayMs, startOfDay, today, type Clock, type Day } from '../platform/clock.ts';
import type { Person } from '../platform/persons.ts';
import { fromFeelingBits, staleBefore } from '../profiles/feelings.ts';
import type { MatchFacts, ProfilesService } from '../profiles/profiles.service.ts';
import { foldWord } from './folded-words.ts';
import {
  activityClass,
  activityDays,
  enoughFound,
  newcomerDays,
  planFor,
  planForEverybody,
  rank,
  type Plan,
  type Scored,
} from './matches.choice.ts';
import { exactScore, shownScore, type Matchable } from './matches.score.ts';
import type { MadeDetails } from './pair-details.ts';

/**
 * Who fits whom, by what people say about themselves in their profiles. It has no access to vents, and a visit moves
 * nobody's score (docs/adr/0005).
 */
export interface Matchmaker {
  /** Candidates without those in `known`, the best first; more than will be needed. */
  search(me: MatchFacts, known: ReadonlySet<bigint>): Promise<Candidate[]>;
}

export interface Candidate extends Scored {
  readonly userId: bigint;
  readonly person: Person;
  /** Worked out when it is wanted: most candidates never become a pair. */
  details(): MadeDetails;
}

interface MatchmakerDeps {
  readonly clock: Clock;
  readonly profiles: ProfilesService;
}

export function createMatchmaker({ clock, profiles }: MatchmakerDeps): Matchmaker {
  const [, recently, longAgo] = activityDays;

  /** Those who fit and were here lately; where they are few, everybody else too. */
  async function read(me: MatchFacts, known: ReadonlySet<bigint>): Promise<readonly MatchFacts[]> {
    // A random start, so that everybody is found equally often.
    const from = randomInt(-(2 ** 31), 2 ** 31);
    const seenWithin = async (days: number, plan: Plan) => {
      const found = await profiles.candidates({ plan, from, seenSince: addDays(today(clock), -days) });
      return found.filter(({ userId }) => userId !== me.userId && !known.has(userId));
    };
    const found = await seenWithin(recently, planFor(me));
    return found.length >= enoughFound ? found : seenWithin(longAgo, planForEverybody);
  }

  return {
    async search(me, known) {
      const day = today(clock);
      const stale = staleBefore(day);
      const mine = toMatchable(me, stale);
      const classOf = activityOn(day);
      const newSince = addDays(day, -newcomerDays);
      return rank(
        (await read(me, known)).map((facts) => {
          const theirs = toMatchable(facts, stale);
          const score = exactScore(mine, theirs);
          return {
            userId: facts.userId,
            get person() {
              return facts.person;
            },
            score,
            activity: classOf(facts.lastSeenOn),
            isNewcomer: facts.createdOn > newSince,
            details: () => ({
              score: shownScore(score),
              emotions: fromFeelingBits(me.feelings & facts.feelings),
              reasons: reasonsFor(me, facts),
            }),
          };
        }),
      );
    },
  };
}

/** The class of each day of a last visit, computed once: hundreds of people share a few dozen days. */
function activityOn(today: Day): (lastSeenOn: Day) => number {
  const classes = new Map<Day, number>();
  return (lastSeenOn) => {
    const found =
      classes.get(lastSeenOn) ??
      activityClass(Math.round((startOfDay(today) - startOfDay(lastSeenOn)) / dayMs));
    classes.set(lastSeenOn, found);
    return found;
  };
}

function toMatchable(facts: MatchFacts, stale: Day): Matchable {
  return {
    feelings: facts.feelings,
    isStale: facts.feelingsFrom !== null && facts.feelingsFrom < stale,
    likes: new Set([...facts.interests, ...facts.likes].map(foldWord)),
    dislikes: new Set(facts.dislikes.map(foldWord)),
    preference: facts.preference,
  };
}

const samePreference = {
  'Similar Emotions': 'both_similar',
  'Different Emotions': 'both_different',
  Balanced: 'both_balanced',
} as const satisfies Record<MatchPreference, string>;

/** From what both say about themselves. */
function reasonsFor(mine: MatchFacts, theirs: MatchFacts): MadeDetails['reasons'] {
  const spelled = new Map([...mine.interests, ...mine.likes].map((item) => [foldWord(item), item]));
  // Of two spellings always the same, whoever asked: the other's would tell whose search it was.
  const shared = new Map(
    [...theirs.interests, ...theirs.likes].flatMap((item) => {
      const own = spelled.get(foldWord(item));
      return own === undefined ? [] : [[foldWord(item), own > item ? own : item] as const];
    }),
  );
  const preference =
    mine.preference !== null && mine.preference === theirs.preference ? mine.preference : null;
  const interests = [...shared.values()].map((about) => ({ kind: 'shared_interest' as const, about }));
  return [
    ...interests.slice(0, preference ? 1 : limits.matchReasons),
    ...(preference ? [{ kind: samePreference[preference], about: null }] : []),
  ];
}
