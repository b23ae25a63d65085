import { limits, matchPreferences, type MatchPreference } from '@unsaid/contract';
import { cellCount, cellOf, similarity, sum } from '../../server/src/matches/emotion-space.ts';
import {
  awayDays,
  enoughFound,
  inTurn,
  likely,
  likelySize,
  newcomerDays,
  planEverywhere,
  planFor,
  searchSize,
  shortlist,
  type Plan,
} from '../../server/src/matches/matches.choice.ts';
import {
  exactScore,
  oneSidedScore,
  thinEvidence,
  type TagWorth,
} from '../../server/src/matches/matches.score.ts';
import { createSeededRandom } from '../../server/src/platform/seeded-random.ts';
import type { Community, Person } from './community.ts';

/**
 * The days of a community under one way of choosing. Ours is the server's: its functions say whom to read, whom to
 * look at closely and in which order to propose; what is done here in memory is only what its queries do.
 */
export interface Policy {
  readonly name: string;
  readonly rank: 'both' | 'one side' | 'chance';
  /** Nobody has more than ten to answer, and of equals the one with fewer goes first. */
  readonly isEven: boolean;
  /** Every fifth place goes to a newcomer. */
  readonly hasNewcomers: boolean;
}

export interface Outcome {
  readonly made: number;
  /** Of the pairs made, both said yes. */
  readonly mutual: number;
  /** Of those who could have been shown, so many stood in nobody's list. */
  readonly neverShown: number;
  /** The same without those who were only shown because they asked themselves. */
  readonly neverChosen: number;
  /** Of the places in others' lists, so many went to the tenth that got most. */
  readonly topTenth: number;
  readonly meanScore: number;
  /** Likeness of the best five of a first list to the one who asked, by what they wish. */
  readonly likeness: ReadonlyMap<MatchPreference, number>;
}

interface Pair {
  readonly asker: Person;
  readonly other: Person;
  /** What this way of choosing thinks of it: lists are shown by that. */
  readonly rank: number;
  /** What the server's score says. */
  readonly score: number;
  closesOn: number;
  askerSays: boolean | null;
  otherSays: boolean | null;
}

/** As in matches.service.ts. */
const openDays = 14;
const topFive = 5;

export function liveThrough(community: Community, policy: Policy, days: number, seed: number): Outcome {
  const { people } = community;
  const random = createSeededRandom(seed + 1000);
  const made: Pair[] = [];
  /** What each has to answer yet. */
  const waiting: Pair[][] = people.map(() => []);
  const met = people.map(() => new Set<number>());
  const shown = new Int32Array(people.length);
  const chosen = new Int32Array(people.length);
  const alike = new Map<MatchPreference, number[]>(matchPreferences.map((wish) => [wish, []]));
  let worth: TagWorth = () => 1;
  let cells: Person[][] = [];
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

  /** A rebuild, and the table as it leaves it. */
  function beginDay(day: number): void {
    worth = community.rebuild(day);
    cells = Array.from({ length: cellCount }, () => []);
    everybody = shuffled(people.filter((one) => one.joinedOn <= day && day - one.lastSeenOn <= awayDays));
    for (const person of everybody) {
      person.daysAway = day - person.lastSeenOn;
      cells[cellOf(person.weights)]?.push(person);
    }
  }

  function dropClosed(person: Person, day: number): Pair[] {
    const open = (waiting[person.id] as Pair[]).filter(({ closesOn }) => closesOn > day);
    waiting[person.id] = open;
    return open;
  }

  /** searchCells, in memory. */
  function readCells(plan: Plan): Person[] {
    const from = random.next();
    return plan.flatMap(({ cell, most }) => {
      const inside = cells[cell] as Person[];
      const begin = Math.floor(from * inside.length);
      const first = inside.slice(begin, begin + most);
      return first.length < most
        ? [...first, ...inside.slice(0, Math.min(begin, most - first.length))]
        : first;
    });
  }

  function readFitting(me: Person): Person[] {
    const plan = planFor(me);
    const found = readCells(plan);
    return found.length >= enoughFound ? found.slice(0, searchSize * 2) : readCells(planEverywhere(plan));
  }

  function candidatesOf(me: Person): Person[] {
    const known = met[me.id] as Set<number>;
    const isNew = (one: Person) => one !== me && !known.has(one.id);
    if (policy.rank !== 'chance') return shortlist(me, readFitting(me).filter(isNew), worth);
    const anybody = Array.from({ length: likelySize }, () => random.pick(everybody));
    return [...new Set(anybody)].filter(isNew);
  }

  function proposalsFor(me: Person, day: number) {
    const scoreOf = {
      both: (one: Person) => exactScore(me, one, worth),
      'one side': (one: Person) => oneSidedScore(me, one, worth),
      chance: () => random.next(),
    }[policy.rank];
    const scored = candidatesOf(me).map((one) => ({
      one,
      score: scoreOf(one),
      isNewcomer: policy.hasNewcomers && one.joinedOn > day - newcomerDays,
    }));
    return inTurn(likely(scored), ({ one }) => {
      const count = policy.isEven ? dropClosed(one, day).length : 0;
      // Chance knows the cap, and no order.
      return policy.rank === 'chance' && count < limits.openSuggestions ? 0 : count;
    });
  }

  function topUp(me: Person, day: number): void {
    const room = limits.openSuggestions - dropClosed(me, day).length;
    if (room <= 0) return;
    for (const { one: other, score: rank } of proposalsFor(me, day).slice(0, room)) {
      const pair: Pair = {
        asker: me,
        other,
        rank,
        score: exactScore(me, other, worth),
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
    }
  }

  /** Of those of whom something is known, on both sides: where nothing is, there is nothing to be alike. */
  function measureFirstList(me: Person): void {
    if (sum(me.weights) < thinEvidence) return;
    const best = (waiting[me.id] as Pair[])
      .filter(({ asker }) => asker === me)
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, topFive)
      .filter(({ other }) => sum(other.weights) > 0);
    const list = alike.get(me.preference ?? 'Similar Emotions');
    for (const { other } of best) list?.push(similarity(me.weights, other.weights));
  }

  /** The best few of what is open, in the order in which they are shown. */
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
  // After the last day they only answer, until every pair has had its fourteen days.
  for (let day = 1; day <= days + openDays; day += 1) {
    const isOver = day > days;
    if (!isOver) beginDay(day);
    const here = shuffled(people.filter((person) => community.comesOn(person, day)));
    for (const person of here) {
      if (!isOver) {
        person.lastSeenOn = day;
        person.daysAway = 0;
      }
      if (!community.looksOn(person, day)) continue;
      if (!isOver) topUp(person, day);
      if (!isOver && !hasAsked.has(person)) measureFirstList(person);
      hasAsked.add(person);
      answer(person, day);
    }
  }

  const eligible = people.filter(
    ({ joinedOn, lastSeenOn }) => joinedOn < days && days - lastSeenOn <= awayDays,
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
    likeness: new Map([...alike].map(([wish, list]) => [wish, total(list) / list.length])),
  };
}

const total = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
