/**
 * npm run bench:partner -- [--people 100,500,2000,10000]: what the partner of a conversation would learn about the other's vents from when the other writes,
 * by the number of people, with vents that go out at once and with vents that were held back (docs/adr/0013).
 *
 * The partner sees a name and when it writes. Somebody who writes a vent is silent meanwhile, and a vent shows its minute.
 * So the partner takes each vent at the end of a pause for the other's. One who knows that vents are held back takes each
 * that goes out within the hour after a pause.
 *
 * A simulation with the people of bench:polling, and these assumptions: a conversation in 3 of 10 visits, which then take
 * twice as long; about a message a minute; two minutes of silence before a vent.
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
const visitsAWeek = 1.6;
const ventsAVisit = 0.5;
const chattingVisits = 0.3;
const writingMinutes = 2;
const dayMinutes = 1440;
/** People whose partners guess. */
const watched = 400;

function simulate(people: number, days: number, holdMinutes: (next: () => number) => number) {
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
      for (const at of written) vents.push({ at: Math.floor(at + (chats ? holdMinutes(next) : 0)), by });
      if (!chats) continue;
      for (let at = from; at < from + length; at += 0.3 + 1.4 * next())
        if (!written.some((vent) => at > vent - writingMinutes && at < vent)) own.push(at);
    }
    messages.set(by, own);
  }
  return { vents: vents.toSorted((a, b) => a.at - b.at), messages };
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

/** Takes all vents from `least` to `most` minutes after a pause. */
function guess(
  { vents, messages }: ReturnType<typeof simulate>,
  { least, most }: { readonly least: number; readonly most: number },
): string {
  let [guesses, right] = [0, 0];
  const chatting = [...messages].filter(([, sent]) => sent.length > 0).slice(0, watched);
  for (const [by, sent] of chatting) {
    for (const [n, to] of sent.entries()) {
      const pause = to - (sent[n - 1] ?? to);
      // Within one visit.
      if (pause < writingMinutes || pause > 15) continue;
      for (let m = firstFrom(vents, to + least - 2); (vents[m]?.at ?? Infinity) <= to + most; m += 1) {
        guesses += 1;
        if (vents[m]?.by === by) right += 1;
      }
    }
  }
  return `${((100 * right) / guesses).toFixed(1)} % of ${guesses}`;
}

const atEnd = { least: 0, most: 0.2 };
const held = { least: 5, most: 60 };
console.log('| people | at once | held back | held back, and the partner knows it |');
console.log('| --- | --- | --- | --- |');
for (const people of sizes) {
  // Enough for some hundred guesses.
  const days = Math.max(30, Math.round(240_000 / people));
  const heldBack = simulate(people, days, (next) => held.least + next() * (held.most - held.least));
  const cells = [
    guess(
      simulate(people, days, () => 0),
      atEnd,
    ),
    guess(heldBack, atEnd),
    guess(heldBack, held),
  ];
  console.log(`| ${[people, ...cells].join(' | ')} |`);
}
