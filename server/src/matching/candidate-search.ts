import { limits, type MatchPreference } from '@unsaid/contract';
import { randomInt } from 'node:crypto';
import { addDays, daysBetween, today, type Day } from '../platform/clock.ts';
import type { Person } from '../kernel/person-keys.ts';
import { fromFeelingBits, staleBefore } from '../kernel/feelings.ts';
import type { MatchFacts } from '../kernel/people.ts';
import type { MatchingContext } from './context.ts';
import {
  activityClass,
  activityDays,
  minCandidates,
  newcomerDays,
  rank,
  samplePlan,
  uniformPlan,
  type SamplePlan,
  type ScoredCandidate,
} from './candidate-selection.ts';
import { roundScore, scorePair, type Matchable } from './matches.score.ts';
import type { PairBasis } from './pair-details.ts';
import { normalizeWord, sharedInterests } from './shared-interests.ts';

export interface Candidate extends ScoredCandidate {
  readonly userId: bigint;
  readonly person: Person;
  /** Computed on demand: most candidates never become a pair. */
  basis(): PairBasis;
}

const [, recentDays, maxDays] = activityDays;

/**
 * Candidates outside `known`, best first, and more than will be needed. Searched by what people say in their profiles: it
 * cannot read vents, and visits move no score (docs/adr/0005).
 */
export async function searchCandidates(
  ctx: MatchingContext,
  me: MatchFacts,
  known: ReadonlySet<bigint>,
): Promise<Candidate[]> {
  const day = today(ctx.clock);
  const stale = staleBefore(day);
  const mine = toMatchable(me, stale);
  const classOf = memoizeActivityClass(day);
  const newSince = addDays(day, -newcomerDays);
  return rank(
    (await sample(ctx, me, known)).map((facts) => {
      const score = scorePair(mine, toMatchable(facts, stale));
      return {
        userId: facts.userId,
        get person() {
          return facts.person;
        },
        score,
        activity: classOf(facts.lastSeenOn),
        isNewcomer: facts.createdOn > newSince,
        basis: () => ({
          score: roundScore(score),
          emotions: fromFeelingBits(me.feelings & facts.feelings),
          reasons: reasonsFor(me, facts),
        }),
      };
    }),
  );
}

/** Recently active people who fit; where they are few, a uniform sample that reaches further back. */
async function sample(
  { clock, ports }: MatchingContext,
  me: MatchFacts,
  known: ReadonlySet<bigint>,
): Promise<readonly MatchFacts[]> {
  // A random start gives everybody the same chance of being found.
  const from = randomInt(-(2 ** 31), 2 ** 31);
  const readWithin = async (days: number, plan: SamplePlan) => {
    const found = await ports.people.candidates({ plan, from, seenSince: addDays(today(clock), -days) });
    const oldest = addDays(today(clock), -maxDays);
    return found.filter(
      ({ userId, lastSeenOn }) => userId !== me.userId && !known.has(userId) && lastSeenOn >= oldest,
    );
  };
  const found = await readWithin(recentDays, samplePlan(me));
  return found.length >= minCandidates ? found : readWithin(maxDays, uniformPlan);
}

/** Memoized by the day of the last visit: hundreds of people share a few dozen days. */
function memoizeActivityClass(today: Day): (lastSeenOn: Day) => number {
  const classes = new Map<Day, number>();
  return (lastSeenOn) => {
    const found = classes.get(lastSeenOn) ?? activityClass(daysBetween(lastSeenOn, today));
    classes.set(lastSeenOn, found);
    return found;
  };
}

function toMatchable(facts: MatchFacts, stale: Day): Matchable {
  return {
    feelings: facts.feelings,
    isStale: facts.feelingsFrom !== null && facts.feelingsFrom < stale,
    likes: new Set([...facts.interests, ...facts.likes].map(normalizeWord)),
    dislikes: new Set(facts.dislikes.map(normalizeWord)),
    preference: facts.preference,
  };
}

const samePreference = {
  'Similar Emotions': 'both_similar',
  'Different Emotions': 'both_different',
  Balanced: 'both_balanced',
} as const satisfies Record<MatchPreference, string>;

/** Only what both say about themselves. */
function reasonsFor(mine: MatchFacts, theirs: MatchFacts): PairBasis['reasons'] {
  const preference =
    mine.preference !== null && mine.preference === theirs.preference ? mine.preference : null;
  const interests = sharedInterests(mine, theirs).map((about) => ({
    kind: 'shared_interest' as const,
    about,
  }));
  return [
    ...interests.slice(0, preference ? 1 : limits.matchReasons),
    ...(preference ? [{ kind: samePreference[preference], about: null }] : []),
  ];
}
