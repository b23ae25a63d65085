/**
 * npm run bench:matching-quality -- [--people 10000] [--days 14] [--seed 1] [--write]
 *
 * Simulates two weeks of a community (assumptions in lib/match-simulation.ts) under the server's own candidate selection
 * and under other policies, with the same people and the same days. Prints tables and targets; `--write`
 * writes docs/matching-quality.svg.
 */
import { writeFileSync } from 'node:fs';
import { readOptions } from '../testkit/options.ts';
import { createCommunity } from './lib/match-simulation.ts';
import type { Assumptions } from './lib/simulated-person.ts';
import { simulateDays, type Outcome, type Policy } from './lib/simulate-days.ts';
import { renderBarChart } from './lib/bar-chart.ts';

const { people: size, days, seed, write } = readOptions({ people: 10_000, days: 14, seed: 1, write: false });

const ours: Policy = { name: 'ours', rank: 'both', hasClasses: true, isEven: true, hasNewcomers: true };
const oneSided: Policy = { ...ours, name: 'one-sided score', rank: 'one side' };
const chance: Policy = {
  ...ours,
  name: 'random pairing',
  rank: 'chance',
  hasClasses: false,
  hasNewcomers: false,
};
const activeChance: Policy = { ...chance, name: 'random, those here lately first', hasClasses: true };
const unsorted: Policy = { ...ours, name: 'ours, whenever they were here', hasClasses: false };
const uneven: Policy = { ...ours, name: 'ours, uncapped', isEven: false };
const closed: Policy = { ...ours, name: 'ours, no newcomers’ places', hasNewcomers: false };

const usual: Assumptions = {
  name: 'as assumed',
  noise: 0.5,
  unnamedShare: 1 / 3,
  misjudging: 0.5,
  honesty: 0.8,
  cares: [0.5, 0.25, 0.25],
  geometry: 'roughly the table',
};
const others: Assumptions[] = [
  { ...usual, name: 'everybody names feelings', unnamedShare: 0 },
  { ...usual, name: 'two in three name none', unnamedShare: 2 / 3 },
  { ...usual, name: 'feelings misjudged twice as much', misjudging: 1 },
  { ...usual, name: 'twice the chemistry', noise: 1 },
  { ...usual, name: 'feelings on a circle', geometry: 'circle' },
];

function simulate(assumed: Assumptions, policies: readonly Policy[]): Outcome[] {
  const community = createCommunity(size, days, seed, assumed);
  return policies.map((policy) => simulateDays(community, policy, days, seed));
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const times = (one: number, other: number) => `${(one / other).toFixed(2)} x`;

function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0))) ?? [];
  for (const row of rows) {
    const cells = row.map((cell, n) =>
      n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0),
    );
    console.log(cells.join('   ').trimEnd());
  }
}

const policies = [ours, oneSided, chance, activeChance, unsorted, uneven, closed];
const outcomes = simulate(usual, policies);
const [us, half, random] = outcomes as [Outcome, Outcome, Outcome];

console.log(`${size} people, ${days} days of pairs and 14 more of answers, seed ${seed}\n`);
print([
  ['', 'pairs', 'both said yes', 'to random', 'never shown', 'never chosen', 'top tenth has', 'mean score'],
  ...outcomes.map((one, n) => [
    policies[n]?.name ?? '',
    String(one.made),
    percent(one.mutual),
    times(one.mutual, random.mutual),
    percent(one.neverShown),
    percent(one.neverChosen),
    percent(one.topTenth),
    one.meanScore.toFixed(3),
  ]),
]);
console.log(`
never shown: share of people active within 30 days who were in nobody's list. A person who asks is in the lists of the
  people they get.
never chosen: share of people whom no search of others found.
top tenth has: share of all places in others' lists that went to the tenth with most places.
`);

print([
  ['similarity of the best five', ...us.similarity.keys()],
  ...outcomes
    .slice(0, 3)
    .map((one, n) => [
      policies[n]?.name ?? '',
      ...[...one.similarity.values()].map((mean) => mean.toFixed(2)),
    ]),
]);

console.log('\nunder other assumptions');
print([
  ['', 'both said yes', 'to random', 'to one-sided', 'never shown'],
  ...others.map((assumed) => {
    const [mine, one, any] = simulate(assumed, [ours, oneSided, chance]) as [Outcome, Outcome, Outcome];
    return [
      assumed.name,
      percent(mine.mutual),
      times(mine.mutual, any.mutual),
      times(mine.mutual, one.mutual),
      percent(mine.neverShown),
    ];
  }),
]);

const [similar, different, balanced] = (['Similar Emotions', 'Different Emotions', 'Balanced'] as const).map(
  (wish) => us.similarity.get(wish) ?? NaN,
) as [number, number, number];
const targets: readonly { what: string; figure: string; isReached: boolean }[] = [
  {
    what: 'both say yes at least 3 times as often as by chance',
    figure: times(us.mutual, random.mutual),
    isReached: us.mutual >= 3 * random.mutual,
  },
  {
    what: 'and more often than with a one-sided score',
    figure: times(us.mutual, half.mutual),
    isReached: us.mutual > half.mutual,
  },
  { what: 'fewer than 10 % never shown', figure: percent(us.neverShown), isReached: us.neverShown < 0.1 },
  { what: 'Similar: similarity at least .90', figure: similar.toFixed(2), isReached: similar >= 0.9 },
  {
    what: 'Balanced: similarity from .40 to .60',
    figure: balanced.toFixed(2),
    isReached: balanced >= 0.4 && balanced <= 0.6,
  },
  { what: 'Different: similarity at most .30', figure: different.toFixed(2), isReached: different <= 0.3 },
];
console.log('');
print([
  ['target', 'figure', ''],
  ...targets.map(({ what, figure, isReached }) => [what, figure, isReached ? 'reached' : 'NOT reached']),
]);

if (write)
  writeFileSync(
    new URL('../docs/matching-quality.svg', import.meta.url),
    renderBarChart({
      title: 'Pairs in which both said yes',
      about: `Of the pairs made in a simulated community of ${size} people over ${days} days.`,
      bars: [ours, oneSided, chance].map(({ name }, n) => ({
        name,
        share: outcomes[n]?.mutual ?? 0,
        isOurs: n === 0,
      })),
      foot: `Never shown to anybody: ${percent(us.neverShown)}. Top tenth’s share of places: ${percent(us.topTenth)}.`,
    }),
  );
const { user, system } = process.cpuUsage();
console.log(
  `\n${((user + system) / 1e6).toFixed(0)} s of CPU${write ? '; docs/matching-quality.svg is written' : ''}`,
);
