/**
 * npm run bench:matching-quality -- [--people 10000] [--days 14] [--seed 1]: is matching any good? A simulated
 * community (lib/community.ts) lives for two weeks under the server's own choosing and under others, on the same
 * people and the same days. Prints the tables and writes docs/matching-quality.svg.
 */
import { parseArgs } from 'node:util';
import { limits, matchPreferences } from '@unsaid/contract';
import { cellCount, cellOf, similarity, sum } from '../server/src/matches/emotion-space.ts';
import {
  awayDays,
  enoughFound,
  newcomerDays,
  planEverywhere,
  planFor,
  searchSize,
  shortlist,
  withNewcomers,
  type Plan,
} from '../server/src/matches/matches.choice.ts';
import { exactScore, matchScore, oneSidedScore, type TagWorth } from '../server/src/matches/matches.score.ts';
import { createSeededRandom } from '../server/src/platform/seeded-random.ts';
import { createCommunity, type Assumptions, type Community, type Person } from './lib/community.ts';

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    days: { type: 'string', default: '14' },
    seed: { type: 'string', default: '1' },
  },
});
const size = Number(values.people);
const days = Number(values.days);
const seed = Number(values.seed);

interface Policy {
  readonly name: string;
  readonly rank: 'both' | 'one side' | 'chance' | 'minds';
  readonly hasCap: boolean;
  readonly hasNewcomers: boolean;
}

const ours: Policy = { name: 'ours', rank: 'both', hasCap: true, hasNewcomers: true };
const oneSided: Policy = { ...ours, name: 'one-sided score', rank: 'one side' };
const chance: Policy = { ...ours, name: 'random pairing', rank: 'chance' };
const minds: Policy = { ...ours, name: 'reading minds', rank: 'minds' };

interface Pair {
  readonly asker: Person;
  readonly other: Person;
  readonly score: number;
  closesOn: number;
  answers: Map<number, boolean>;
}

interface Outcome {
  readonly made: number;
  readonly bothAnswered: number;
  readonly accepted: number;
  readonly yes: number;
  readonly neverShown: number;
  readonly neverShownByKind: Record<string, string>;
  readonly topTenth: number;
  readonly gini: number;
  readonly meanScore: number;
  readonly alike: Record<string, number>;
}

function live(community: Community, policy: Policy): Outcome {
  const random = createSeededRandom(seed + 1000);
  const { people } = community;
  const pairsOf: Pair[][] = people.map(() => []);
  const metBy = people.map(() => new Set<number>());
  const made: Pair[] = [];
  const slots = people.map(() => 0);
  const alike: Record<string, number[]> = Object.fromEntries(matchPreferences.map((wish) => [wish, []]));
  let worth: TagWorth = () => 1;
  let cells: Person[][] = [];
  for (const person of people) person.lastSeenOn = person.firstSeenOn;

  const waitingOf = (person: Person, day: number) =>
    (pairsOf[person.id] as Pair[]).filter((pair) => pair.closesOn > day && !pair.answers.has(person.id));

  function beginDay(day: number): void {
    worth = community.rebuild(day);
    cells = Array.from({ length: cellCount }, () => []);
    const shuffled = people
      .filter((person) => person.joinedOn <= day && day - person.lastSeenOn <= awayDays)
      .map((person) => ({ person, at: random.next() }))
      .toSorted((a, b) => a.at - b.at);
    for (const { person } of shuffled) {
      person.daysAway = day - person.lastSeenOn;
      cells[cellOf(person.weights)]?.push(person);
    }
  }

  /** searchCells, in memory. */
  function read(plan: Plan): Person[] {
    const from = random.next();
    return plan.flatMap(({ cell, most }) => {
      const inside = cells[cell] as Person[];
      const begin = Math.floor(from * inside.length);
      return [...inside.slice(begin), ...inside.slice(0, begin)].slice(0, most);
    });
  }

  function readFitting(me: Person): Person[] {
    const plan = planFor(me);
    const found = read(plan);
    return found.length >= enoughFound ? found.slice(0, searchSize * 2) : read(planEverywhere(plan));
  }

  function rankFor(me: Person, day: number): Person[] {
    const met = metBy[me.id] as Set<number>;
    const isNew = (one: Person) => one !== me && !met.has(one.id);
    const byChance = policy.rank === 'chance' || policy.rank === 'minds';
    const anybody = () => Array.from({ length: searchSize }, () => random.pick(random.pick(everywhere)));
    const everywhere = cells.filter((cell) => cell.length > 0);
    const found = byChance ? [...new Set(anybody())].filter(isNew) : readFitting(me).filter(isNew);
    const promising = byChance ? found : shortlist(me, found, worth);
    const worthOf = {
      both: (one: Person) =>
        (process.env['EXACT'] ? exactScore : matchScore)(me, one, worth) +
        Number(process.env['ALPHA'] ?? 0) * 2 ** (-one.daysAway / Number(process.env['HALF'] ?? 7)),
      'one side': (one: Person) => oneSidedScore(me, one, worth),
      chance: () => random.next(),
      minds: (one: Person) => community.chance(me, one) * community.chance(one, me) * one.activity,
    }[policy.rank];
    const ranked = promising
      .map((one) => ({ one, worth: worthOf(one), tie: process.env['EXACT'] ? 0 : one.id }))
      .toSorted((a, b) => b.worth - a.worth || a.tie - b.tie)
      .slice(0, Number(process.env['K'] ?? 300))
      .map((x) => ({
        one: x.one,
        waiting: waitingOf(x.one, day).length,
        worth: x.worth - Number(process.env['LAMBDA'] ?? 0) * waitingOf(x.one, day).length,
      }))
      .filter((x) => !policy.hasCap || x.waiting < 10)
      .toSorted((a, b) => b.worth - a.worth)
      .map(({ one }) => one);
    if (!policy.hasNewcomers || byChance) return ranked;
    return withNewcomers(ranked, (one) => one.joinedOn > day - newcomerDays);
  }

  function topUp(me: Person, day: number): void {
    let room = limits.openSuggestions - waitingOf(me, day).length;
    if (room <= 0) return;
    for (const other of rankFor(me, day).slice(0, 100)) {
      if (room === 0) return;
      if (policy.hasCap && waitingOf(other, day).length >= limits.openSuggestions) continue;
      const pair = {
        asker: me,
        other,
        score: matchScore(me, other, worth),
        closesOn: day + 14,
        answers: new Map<number, boolean>(),
      };
      for (const [one, two] of [
        [me, other],
        [other, me],
      ] as const) {
        pairsOf[one.id]?.push(pair);
        metBy[one.id]?.add(two.id);
      }
      made.push(pair);
      slots[other.id]! += 1;
      room -= 1;
    }
  }

  function measureTopFive(me: Person): void {
    const list = alike[me.preference ?? 'Similar Emotions'];
    if (!list || sum(me.weights) === 0) return;
    const top = (pairsOf[me.id] as Pair[])
      .filter((pair) => pair.asker === me)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, 5)
      .filter(({ other }) => sum(other.weights) > 0);
    for (const { other } of top) list.push(similarity(me.weights, other.weights));
  }

  function answer(me: Person, day: number): void {
    const looked = waitingOf(me, day)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, 2 + random.below(6));
    for (const pair of looked) {
      const isYes = community.wouldAccept(me, pair.asker === me ? pair.other : pair.asker);
      pair.answers.set(me.id, isYes);
      if (isYes) pair.closesOn = Math.max(pair.closesOn, day + 14);
    }
  }

  for (let day = 1; day <= days; day += 1) {
    beginDay(day);
    const here = people
      .filter((person) => community.comesOn(person, day))
      .map((person) => ({ person, at: random.next() }))
      .toSorted((a, b) => a.at - b.at);
    for (const { person } of here) {
      person.lastSeenOn = day;
      person.daysAway = 0;
      const isFirst = (pairsOf[person.id] as Pair[]).length === 0;
      if (random.next() < 0.5) continue;
      topUp(person, day);
      if (isFirst) measureTopFive(person);
      answer(person, day);
    }
  }

  const both = made.filter(({ answers }) => answers.size === 2);
  const yeses = made.flatMap(({ answers }) => [...answers.values()]);
  const eligible = people.filter((one) => one.joinedOn < days && days - one.lastSeenOn <= awayDays);
  const counts = eligible.map((one) => slots[one.id] as number).toSorted((a, b) => b - a);
  const total = counts.reduce((a, b) => a + b, 0);
  const hereLately = eligible.filter((one) => days - one.lastSeenOn < days);
  console.log(
    'never of here lately',
    (hereLately.filter((one) => pairsOf[one.id]?.length === 0).length / hereLately.length).toFixed(3),
    'of',
    hereLately.length,
    'pairs per person here',
    ((2 * made.length) / hereLately.length).toFixed(1),
  );
  const never = eligible.filter((one) =>
    process.env['STRICT'] ? slots[one.id] === 0 : pairsOf[one.id]?.length === 0,
  );
  const share = (some: (one: Person) => boolean) => {
    const all = eligible.filter(some);
    return `${((100 * never.filter(some).length) / Math.max(1, all.length)).toFixed(0)}% of ${all.length}`;
  };
  return {
    made: made.length,
    bothAnswered: both.length,
    accepted: both.filter(({ answers }) => [...answers.values()].every(Boolean)).length,
    yes: yeses.filter(Boolean).length / yeses.length,
    neverShown: never.length / eligible.length,
    neverShownByKind: {
      blank: share((one) => sum(one.weights) === 0),
      thin: share((one) => sum(one.weights) > 0 && sum(one.weights) < 2),
      rich: share((one) => sum(one.weights) >= 2),
      away: share((one) => days - one.lastSeenOn > 14),
      here: share((one) => days - one.lastSeenOn <= 3),
      newcomer: share((one) => one.joinedOn > days - newcomerDays),
      ...Object.fromEntries(matchPreferences.map((w) => [w, share((one) => one.preference === w)])),
    },
    topTenth: counts.slice(0, Math.ceil(counts.length / 10)).reduce((a, b) => a + b, 0) / total,
    gini:
      counts.reduce((sum, count, n) => sum + count * (counts.length - 2 * n - 1), 0) /
      (counts.length * total),
    meanScore: made.reduce((sum, { score }) => sum + score, 0) / made.length,
    alike: Object.fromEntries(
      Object.entries(alike).map(([wish, list]) => [wish, list.reduce((a, b) => a + b, 0) / list.length]),
    ),
  };
}

const usual: Assumptions = {
  name: 'usual',
  noise: Number(process.env['NOISE'] ?? 0.5),
  thinShare: 0.4,
  honesty: 0.8,
  cares: [0.5, 0.25, 0.25],
  geometry: 'roughly the table',
};
for (const assumed of process.env['ONLY']
  ? [usual]
  : [usual, { ...usual, name: 'noise .5', noise: 0.5 }, { ...usual, name: 'noise 2', noise: 2 }]) {
  const community = createCommunity(size, days, seed, assumed);
  for (const policy of process.env['ONLY'] === '1'
    ? [ours]
    : process.env['ONLY'] === '3'
      ? [ours, chance, oneSided]
      : process.env['ONLY'] === '2'
        ? [ours, { ...ours, name: 'no cap', hasCap: false }]
        : [
            ours,
            chance,
            oneSided,
            minds,
            { ...ours, name: 'no cap', hasCap: false },
            { ...ours, name: 'no newcomers', hasNewcomers: false },
          ]) {
    const begun = process.cpuUsage();
    const o = live(community, policy);
    console.log(
      policy.name.padEnd(18),
      `${(process.cpuUsage(begun).user / 1e6).toFixed(1)}s`,
      'made',
      o.made,
      'both',
      o.bothAnswered,
      'acc',
      o.accepted,
      'rate',
      (o.accepted / o.bothAnswered).toFixed(3),
      'perMade',
      (o.accepted / o.made).toFixed(4),
      'yes',
      o.yes.toFixed(3),
      'never',
      o.neverShown.toFixed(3),
      'top10',
      o.topTenth.toFixed(3),
      'gini',
      o.gini.toFixed(2),
      'score',
      o.meanScore.toFixed(3),
      JSON.stringify(Object.values(o.alike).map((x) => x.toFixed(2))),
    );
    if (process.env['KINDS']) console.log('      ', JSON.stringify(o.neverShownByKind));
  }
}
