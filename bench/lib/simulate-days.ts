import { limits, matchPreferences, type MatchPreference } from '@unsaid/contract';
import { noFeelings, similarity } from '../../server/src/matching/emotion-space.ts';
import {
  activityClass,
  activityDays,
  minCandidates,
  rankFairly,
  newcomerDays,
  samplePlan,
  uniformPlan,
  rank,
  remainingQuota,
  sampleSize,
  type SamplePlan,
  type ScoredCandidate,
} from '../../server/src/matching/candidate-selection.ts';
import { scorePair, oneSidedScore, roundScore } from '../../server/src/matching/matches.score.ts';
import { createSeededRandom } from '../../server/seed/seeded-random.ts';
import { areFeelingsStale } from '../../server/src/kernel/feelings.ts';
import type { Community } from './match-simulation.ts';
import { calendarDay, type Person } from './simulated-person.ts';

/**
 * Simulates the days of a community under one policy. Ours runs the server's own functions for sampling, scoring and
 * ranking; only its queries are replaced by operations in memory.
 */
export interface Policy {
  readonly name: string;
  readonly rank: 'both' | 'one side' | 'chance';
  /** Recently active people rank higher. */
  readonly hasClasses: boolean;
  /** Limits how often others find a person, with the exposure penalty. */
  readonly isEven: boolean;
  /** Every fifth place goes to a newcomer. */
  readonly hasNewcomers: boolean;
}

export interface Outcome {
  readonly made: number;
  /** Share of pairs in which both said yes. */
  readonly mutual: number;
  /** Share of eligible people who were in no list. */
  readonly neverShown: number;
  /** Share of eligible people whom no search of others found. */
  readonly neverChosen: number;
  /** Share of the places in others' lists that went to the tenth with most places. */
  readonly topTenth: number;
  readonly meanScore: number;
  /** Similarity of the best five of a first list to the person who asked, by preference. */
  readonly similarity: ReadonlyMap<MatchPreference, number>;
}

interface Pair {
  readonly asker: Person;
  readonly other: Person;
  /** The shown score of this policy, by which lists are ordered. */
  readonly rank: number;
  /** The server's score. */
  readonly score: number;
  closesOn: number;
  askerSays: boolean | null;
  otherSays: boolean | null;
}

/** As in suggestions.ts and profiles.queries.ts. */
const openDays = 14;
const foundDays = 14;
const batchSize = limits.openSuggestions + 10;
const maxBatches = 5;
const newAccountDays = 2;
/** Rows read for each candidate wanted. */
const readFactor = 4;
const topFive = 5;
const [, recently, longAgo] = activityDays;

interface Candidate extends ScoredCandidate {
  readonly one: Person;
}

export function simulateDays(community: Community, policy: Policy, days: number, seed: number): Outcome {
  const { people } = community;
  const random = createSeededRandom(seed + 1000);
  const made: Pair[] = [];
  /** Unanswered pairs of each person. */
  const waiting: Pair[][] = people.map(() => []);
  const met = people.map(() => new Set<number>());
  const shown = new Int32Array(people.length);
  const chosen = new Int32Array(people.length);
  const alike = new Map<MatchPreference, number[]>(matchPreferences.map((wish) => [wish, []]));
  const sets = Map.groupBy(
    people.toSorted((a, b) => a.place - b.place),
    ({ feelings }) => feelings,
  );
  let everybody: Person[] = [];

  for (const person of people) person.lastSeenOn = person.firstSeenOn;

  function shuffled(list: readonly Person[]): Person[] {
    const order = [...list];
    for (let n = order.length - 1; n > 0; n -= 1) {
      const other = random.below(n + 1);
      [order[n], order[other]] = [order[other] as Person, order[n] as Person];
    }
    return order;
  }

  function beginDay(day: number): void {
    for (const person of people) person.isStale = areFeelingsStale(person.feelingsFrom, calendarDay(day));
    everybody = people.filter((one) => one.joinedOn <= day && day - one.lastSeenOn <= recently);
  }

  function dropClosed(person: Person, day: number): Pair[] {
    const open = (waiting[person.id] as Pair[]).filter(({ closesOn }) => closesOn > day);
    waiting[person.id] = open;
    return open;
  }

  /** `findCandidates` in memory. */
  function read(plan: SamplePlan, day: number, seenWithin: number): Person[] {
    const from = random.next();
    return plan.flatMap(({ feelings, most }) => {
      const inside = (sets.get(feelings) ?? []).filter(({ joinedOn }) => joinedOn <= day);
      const begin = inside.findIndex(({ place }) => place >= from);
      const near = begin === -1 ? inside : [...inside.slice(begin), ...inside.slice(0, begin)];
      return near
        .slice(0, most * readFactor)
        .filter(({ lastSeenOn }) => day - lastSeenOn <= seenWithin)
        .slice(0, most);
    });
  }

  function readFitting(me: Person, day: number): Person[] {
    const known = met[me.id] as Set<number>;
    const isNew = (one: Person) => one !== me && !known.has(one.id);
    const found = read(samplePlan(me), day, recently).filter(isNew);
    return found.length >= minCandidates ? found : read(uniformPlan, day, longAgo).filter(isNew);
  }

  const readAnybody = () => [...new Set(Array.from({ length: sampleSize }, () => random.pick(everybody)))];

  const scorers = {
    both: scorePair,
    'one side': oneSidedScore,
    chance: () => random.next(),
  };
  const scoreOf = scorers[policy.rank];

  function search(me: Person, day: number): Candidate[] {
    const known = met[me.id] as Set<number>;
    const found = policy.rank === 'chance' ? readAnybody() : readFitting(me, day);
    return rank(
      found
        .filter((one) => one !== me && !known.has(one.id))
        .map((one) => ({
          one,
          score: scoreOf(me, one),
          activity: policy.hasClasses ? activityClass(day - one.lastSeenOn) : 0,
          isNewcomer: policy.hasNewcomers && one.joinedOn > day - newcomerDays,
        })),
    );
  }

  /** For each person, the days on which others found them. */
  const foundOn: number[][] = people.map(() => []);

  /** Within `foundDays`, whatever was answered. */
  function timesFound({ one }: Candidate, day: number): number {
    if (!policy.isEven) return 0;
    const lately = (foundOn[one.id] as number[]).filter((on) => on > day - foundDays);
    foundOn[one.id] = lately;
    // Random pairing applies the limit but no order.
    return policy.rank === 'chance' && lately.length < limits.foundByOthers ? 0 : lately.length;
  }

  function makePair(me: Person, { one: other, score }: Candidate, day: number): void {
    const pair: Pair = {
      asker: me,
      other,
      rank: policy.rank === 'chance' ? score : roundScore(score),
      score: scorePair(me, other),
      closesOn: day + openDays,
      askerSays: null,
      otherSays: null,
    };
    made.push(pair);
    waiting[me.id]?.push(pair);
    waiting[other.id]?.push(pair);
    met[me.id]?.add(other.id);
    met[other.id]?.add(me.id);
    shown[me.id]! += 1;
    shown[other.id]! += 1;
    chosen[other.id]! += 1;
    foundOn[other.id]?.push(day);
  }

  const madeOn = people.map(() => ({ day: 0, count: 0 }));
  function topUp(me: Person, day: number): void {
    const today = madeOn[me.id] as { day: number; count: number };
    if (today.day !== day) [today.day, today.count] = [day, 0];
    const quota = () =>
      remainingQuota(
        { isNamed: me.feelings !== noFeelings, isNewAccount: me.joinedOn > day - newAccountDays },
        {
          waiting: dropClosed(me, day).filter(({ asker }) => asker === me).length,
          madeToday: today.count,
        },
      );
    if (quota() === 0) return;
    const candidates = search(me, day);
    for (let round = 0; round < maxBatches && quota() > 0; round += 1) {
      const batch = candidates.slice(round * batchSize, (round + 1) * batchSize);
      const pairs = rankFairly(batch, (one) => timesFound(one, day), {
        isNewcomer: me.joinedOn > day - newcomerDays,
      }).slice(0, quota());
      for (const pair of pairs) makePair(me, pair, day);
      today.count += pairs.length;
    }
  }

  /** Only pairs in which both named feelings. */
  function measureFirstList(me: Person): void {
    if (me.feelings === noFeelings) return;
    const best = (waiting[me.id] as Pair[])
      .filter(({ asker }) => asker === me)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, topFive)
      .filter(({ other }) => other.feelings !== noFeelings);
    const list = alike.get(me.preference ?? 'Similar Emotions');
    for (const { other } of best) list?.push(similarity(me.feelings, other.feelings));
  }

  /** Answers the best few open pairs, in the order in which they are shown. */
  function answer(me: Person, day: number): void {
    const looked = dropClosed(me, day)
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, 2 + random.below(6));
    for (const pair of looked) {
      const isAsker = pair.asker === me;
      const isYes = community.wouldAccept(me, isAsker ? pair.other : pair.asker);
      if (isAsker) pair.askerSays = isYes;
      else pair.otherSays = isYes;
      if (isYes) pair.closesOn = day + openDays;
    }
    waiting[me.id] = (waiting[me.id] as Pair[]).filter((pair) => !looked.includes(pair));
  }

  const hasAsked = new Set<Person>();
  // After the last day people only answer, until every pair has closed.
  for (let day = 1; day <= days + openDays; day += 1) {
    const isOver = day > days;
    if (!isOver) beginDay(day);
    const here = shuffled(people.filter((person) => community.comesOn(person, day)));
    for (const person of here) {
      if (!isOver) person.lastSeenOn = day;
      if (!community.looksOn(person, day)) continue;
      if (!isOver) topUp(person, day);
      if (!isOver && !hasAsked.has(person)) measureFirstList(person);
      hasAsked.add(person);
      answer(person, day);
    }
  }

  const eligible = people.filter(
    ({ joinedOn, lastSeenOn }) => joinedOn < days && days - lastSeenOn <= recently,
  );
  const places = eligible.map(({ id }) => chosen[id] as number).toSorted((a, b) => b - a);
  const share = (counts: Int32Array) =>
    eligible.filter(({ id }) => counts[id] === 0).length / eligible.length;
  return {
    made: made.length,
    mutual: made.filter(({ askerSays, otherSays }) => askerSays && otherSays).length / made.length,
    neverShown: share(shown),
    neverChosen: share(chosen),
    topTenth: total(places.slice(0, Math.ceil(places.length / 10))) / total(places),
    meanScore: total(made.map(({ score }) => score)) / made.length,
    similarity: new Map([...alike].map(([wish, list]) => [wish, total(list) / list.length])),
  };
}

const total = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
