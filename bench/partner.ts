/**
 * npm run bench:partner -- [--people 50,100,250,500,2000,10000] [--places 20,40]: what the partner of a conversation would
 * learn about the other's vents from when the other writes, by the number of people, with vents that go out at once and with
 * vents that were held back by the product's own rule (docs/adr/0013-held-vents.md). Fails above 12 % at 100 people or 5 % at 500.
 *
 * The partner sees a name and when it writes. Somebody who writes a vent is silent meanwhile, and a vent shows its minute.
 * So the partner takes each vent at the end of a pause for the other's. One who knows the rule of holding takes each that
 * it allows after a pause.
 *
 * A simulation with the people of bench:polling, and these assumptions: a conversation in 3 of 10 visits, which then take
 * twice as long; about a message a minute; two minutes of silence before a vent.
 */
import { normal, poisson } from './lib/distributions.ts';
import { drawWaitMs, longestMs, waitsFrom, type Rhythm } from '../server/src/content/held/rhythm.ts';
import { createSeededRandom } from '../server/seed/seeded-random.ts';
import { readOptions } from '../testkit/options.ts';

interface Said {
  /** Minutes since the start. */
  readonly at: number;
  readonly by: number;
  /** Minutes that it was held. */
  readonly wait: number;
}

const { people: sizes } = readOptions({ people: [50, 100, 250, 500, 2000, 10_000] });
const visitMinutes = { least: 4, most: 18 };
const visitsAWeek = 1.6;
const ventsAVisit = 0.5;
const chattingVisits = 0.3;
const writingMinutes = 2;
const dayMinutes = 1440;
const minuteMs = 60_000;
/** People whose partners guess. */
const watched = 400;
/** By the number of people, in per cent. */
const bars = new Map([
  [100, 12],
  [500, 5],
]);

const longests = [
  { title: '48 h at most', longest: longestMs },
  { title: 'no maximum', longest: 60 * longestMs },
];

/** `holdMinutes` of a vent that is written in a visit with a conversation. */
function simulate(people: number, days: number, holdMinutes: (at: number, next: () => number) => number) {
  const { next } = createSeededRandom(11);
  const vents: Said[] = [];
  const messages = new Map<number, number[]>();
  for (let by = 0; by < people; by += 1) {
    const aWeek = Math.min(20, Math.exp(normal(next) * 0.9) * visitsAWeek);
    const usualHour = 21.5 + normal(next) * 2.5;
    const own: number[] = [];
    for (let day = 0; day < days; day += 1) {
      if (next() >= aWeek / 7) continue;
      const from = day * dayMinutes + (usualHour + normal(next) * 2) * 60;
      const chats = next() < chattingVisits;
      const length =
        (visitMinutes.least + next() * (visitMinutes.most - visitMinutes.least)) * (chats ? 2 : 1);
      const written = Array.from({ length: poisson(next, ventsAVisit) }, () => from + next() * length);
      for (const at of written) {
        const wait = chats ? holdMinutes(at, next) : 0;
        vents.push({ at: Math.floor(at + wait), by, wait });
      }
      if (!chats) continue;
      for (let at = from; at < from + length; at += 0.3 + 1.4 * next())
        if (!written.some((vent) => at > vent - writingMinutes && at < vent)) own.push(at);
    }
    messages.set(by, own);
  }
  return { vents: vents.toSorted((a, b) => a.at - b.at), messages };
}

type Simulated = ReturnType<typeof simulate>;

/** As the product counts it. */
function rhythmOf({ vents }: Simulated, days: number): Rhythm {
  const counts = Array.from({ length: 24 }, () => 0);
  for (const { at } of vents) {
    const hour = Math.floor((((at % dayMinutes) + dayMinutes) % dayMinutes) / 60);
    counts[hour] = (counts[hour] ?? 0) + 1 / days;
  }
  return counts;
}

/** The first vent not before a time. */
function firstFrom(vents: readonly Said[], at: number): number {
  let [low, high] = [0, vents.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((vents[middle] as Said).at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes all vents from `least` to `most` minutes after a pause. In per cent. */
function guess(
  { vents, messages }: Simulated,
  waitsAt: (at: number) => { readonly least: number; readonly most: number },
): { readonly right: number; readonly guesses: number } {
  let [guesses, right] = [0, 0];
  const chatting = [...messages].filter(([, sent]) => sent.length > 0).slice(0, watched);
  for (const [by, sent] of chatting) {
    for (const [n, to] of sent.entries()) {
      const pause = to - (sent[n - 1] ?? to);
      // Within one visit.
      if (pause < writingMinutes || pause > 15) continue;
      const { least, most } = waitsAt(to);
      for (let m = firstFrom(vents, to + least - 2); (vents[m]?.at ?? Infinity) <= to + most; m += 1) {
        guesses += 1;
        if (vents[m]?.by === by) right += 1;
      }
    }
  }
  return { right: (100 * right) / Math.max(1, guesses), guesses };
}

function medianHours(vents: readonly Said[]): number {
  const waits = vents.flatMap(({ wait }) => (wait > 0 ? [wait] : [])).toSorted((a, b) => a - b);
  return (waits[Math.floor(waits.length / 2)] ?? 0) / 60;
}

const missed: string[] = [];
console.log(
  `| people | at once | ${longests.map(({ title }) => `held, ${title}: right; median wait`).join(' | ')} |`,
);
console.log(`| --- | --- |${longests.map(() => ' --- |').join('')}`);
for (const people of sizes) {
  // Enough for some hundred guesses.
  const days = Math.max(30, Math.round(240_000 / people));
  const atOnce = simulate(people, days, () => 0);
  const rhythm = rhythmOf(atOnce, days);
  const cells = longests.map(({ longest }) => {
    const held = simulate(
      people,
      days,
      (at, next) => drawWaitMs(rhythm, at * minuteMs, next, longest) / minuteMs,
    );
    const { right } = guess(held, (at) => {
      const { least, most } = waitsFrom(rhythm, at * minuteMs, longest);
      return { least: least / minuteMs, most: most / minuteMs };
    });
    const bar = bars.get(people);
    if (bar !== undefined && longest === longestMs && right > bar)
      missed.push(`${right.toFixed(1)} % right at ${people} people, at most ${bar} % are allowed`);
    return `${right.toFixed(1)} %; ${medianHours(held.vents).toFixed(1)} h`;
  });
  const { right } = guess(atOnce, () => ({ least: 0, most: 0.2 }));
  console.log(`| ${[people, `${right.toFixed(1)} %`, ...cells].join(' | ')} |`);
}
for (const one of missed) console.error(one);
if (missed.length > 0) process.exitCode = 1;
