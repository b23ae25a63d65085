/**
 * npm run bench:polling -- [--people 100,500,2000,10000]: how often an attacker who polls the feed identifies the author of a vent, by the number of people.
 *
 * The poller learns the time of a named comment to three minutes, though it is shown with its day. People who vent also
 * comment in the same visit, so the guess is the author of the nearest named comment. Also prints how many of two
 * neighbouring vents within five minutes have one author, which needs no polling.
 *
 * A simulation with these assumptions: 1.6 visits a week at the median, in the evening, with .5 vents and .6 named
 * comments on average. Comments are Anonymous by default, which lowers all figures.
 */
import { normal, poisson } from './lib/distributions.ts';
import { createSeededRandom } from '../server/seed/seeded-random.ts';
import { readOptions } from '../testkit/options.ts';

interface Said {
  /** Minutes since the start. */
  readonly at: number;
  readonly by: number;
}

const { people: sizes } = readOptions({ people: [100, 500, 2000, 10_000] });
const visitMinutes = { least: 4, most: 18 };
const perVisit = { vents: 0.5, comments: 0.6 };
const visitsAWeek = 1.6;
const pollMinutes = 3;
const dayMinutes = 1440;

function simulate(people: number, days: number) {
  const { next } = createSeededRandom(11);
  const vents: Said[] = [];
  const comments: Said[] = [];
  for (let by = 0; by < people; by += 1) {
    const aWeek = Math.min(20, Math.exp(normal(next) * 0.9) * visitsAWeek);
    const usualHour = 21.5 + normal(next) * 2.5;
    for (let day = 0; day < days; day += 1) {
      if (next() >= aWeek / 7) continue;
      const from = day * dayMinutes + (usualHour + normal(next) * 2) * 60;
      const length = visitMinutes.least + next() * (visitMinutes.most - visitMinutes.least);
      const moments = (mean: number) =>
        Array.from({ length: poisson(next, mean) }, () => ({ at: from + next() * length, by }));
      vents.push(...moments(perVisit.vents));
      comments.push(...moments(perVisit.comments));
    }
  }
  return { vents, comments, pick: next };
}

/** Right guesses and all guesses, if the author of the nearest comment is guessed. */
function byNearest(vents: readonly Said[], seen: readonly Said[], within: number): [number, number] {
  const sorted = seen.toSorted((a, b) => a.at - b.at);
  let [right, guesses] = [0, 0];
  for (const vent of vents) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as Said).at < vent.at - within) low = middle + 1;
      else high = middle;
    }
    let best: Said | undefined;
    for (let n = low; n < sorted.length && (sorted[n] as Said).at <= vent.at + within; n += 1) {
      const one = sorted[n] as Said;
      if (!best || Math.abs(one.at - vent.at) < Math.abs(best.at - vent.at)) best = one;
    }
    if (!best) continue;
    guesses += 1;
    if (best.by === vent.by) right += 1;
  }
  return [right, guesses];
}

/** The same if only the day is known: guesses the person with the most comments of that day. */
function byDay(vents: readonly Said[], comments: readonly Said[], pick: () => number): [number, number] {
  const dayOf = ({ at }: Said) => Math.floor(at / dayMinutes);
  const writers = new Map(
    [...Map.groupBy(comments, dayOf)].map(([day, said]) => {
      const counts = [...Map.groupBy(said, ({ by }) => by)];
      const most = Math.max(...counts.map(([, own]) => own.length));
      return [day, counts.filter(([, own]) => own.length === most).map(([by]) => by)];
    }),
  );
  let [right, guesses] = [0, 0];
  for (const vent of vents) {
    const candidates = writers.get(dayOf(vent));
    if (!candidates) continue;
    guesses += 1;
    if (candidates[Math.floor(pick() * candidates.length)] === vent.by) right += 1;
  }
  return [right, guesses];
}

/** Of vents within a few minutes after another one, how many have the same author. */
function sameAuthorAsPrevious(vents: readonly Said[], within: number): [number, number] {
  const sorted = vents.toSorted((a, b) => a.at - b.at);
  const close = sorted.filter((vent, n) => n > 0 && vent.at - (sorted[n - 1] as Said).at <= within);
  const before = new Map(sorted.map((vent, n) => [vent, sorted[n - 1]]));
  const same = close.filter((vent) => before.get(vent)?.by === vent.by);
  return [same.length, close.length];
}

const percent = ([right, guesses]: [number, number]) => `${((100 * right) / guesses).toFixed(1)} %`;
console.log(
  '| people | a poller, of guesses | of all vents | the day alone, of guesses | vents within 5 minutes by one author |',
);
console.log('| --- | --- | --- | --- | --- |');
for (const people of sizes) {
  const days = people < 10_000 ? 60 : 30;
  const { vents, comments, pick } = simulate(people, days);
  const seen = comments.map(({ at, by }) => ({
    at: Math.ceil(at / pollMinutes) * pollMinutes - pollMinutes / 2,
    by,
  }));
  const polled = byNearest(vents, seen, pollMinutes + 1);
  const cells = [
    people,
    percent(polled),
    percent([polled[0], vents.length]),
    percent(byDay(vents, comments, pick)),
    percent(sameAuthorAsPrevious(vents, 5)),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
