import fc from 'fast-check';
import {
  commentOnVent,
  readingLanguages,
  setVentComments,
  type RequestOf,
  type openLiveTicket,
} from '@unsaid/contract';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { whomToTell, type Listener } from '../src/content/listening/telling.ts';
import { minuteMs } from '../src/platform/clock.ts';
import { ownTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, type Person } from './factories.ts';
import { compareWires, openLine, runClock, watchWire, type Line } from './live.ts';
import { fullTier, runs, seed } from './runs.ts';

/** Listeners are told with an ordinary tick that somebody waits. */

const options = { seed, numRuns: runs('TELLING_RUNS', { change: 300, full: 5000 }) };
const tickMs = 25_000;
/** A preparation comes within a period, and the tick that says it within another. */
const soon = 2 * tickMs + 2000;
const listens = '1000';
type Listens = RequestOf<typeof openLiveTicket>['body']['listens'];

const marksOf = ({ frames }: Line) => frames.filter(({ tick }) => tick.waits === 1).length;
const peopleOf = async (app: TestApp, count: number) => {
  const people: Person[] = [];
  while (people.length < count) people.push(await makeUser(app));
  return people;
};

/** A vent has the minute in which it was posted: this one begins now. Every line has had a tick, and the list was read. */
async function toFullMinute(app: TestApp, lines: readonly Line[]): Promise<void> {
  await runClock(app, 2 * minuteMs - (app.clock.now() % minuteMs), lines);
}

async function openLines(app: TestApp, people: readonly Person[], asked: Listens = listens) {
  const lines: Line[] = [];
  for (const person of people) lines.push(await openLine(app, person, { listens: asked }));
  return lines;
}

describe('whom to tell', () => {
  const reads = readingLanguages;
  const unheard = [{ createdAt: 0, language: 'en' as const }];
  const listenersOf = (count: number): Listener[] =>
    Array.from({ length: count }, () => ({ reads, toldAt: -Infinity }));

  test('a vent is told of at each step once, whatever the pace', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: minuteMs }), { maxLength: 1500 }), (pauses) => {
        const counts: number[] = [];
        let since = 0;
        for (const pause of pauses) {
          const now = since + pause;
          const told = whomToTell({ unheard, listeners: listenersOf(20), since, now, random: Math.random });
          if (told.length > 0) counts.push(told.length);
          since = now;
        }
        const reached = [2, 8, 20, 60, 180, 480].filter((minutes) => minutes * minuteMs <= since).length;
        expect(counts).toEqual([3, 3, 4, 6, 8, 10].slice(0, reached));
      }),
      options,
    );
  });

  test('each listener at most once in half an hour, for all vents together, and only of what they read', () => {
    const language = fc.constantFrom(...readingLanguages, 'other' as const, null);
    fc.assert(
      fc.property(
        fc.array(fc.record({ createdAt: fc.integer({ min: 0, max: 9 * 60 * minuteMs }), language })),
        fc.array(fc.subarray([...readingLanguages], { minLength: 1 }), { maxLength: 12 }),
        (vents, chosen) => {
          const listeners = chosen.map((some) => ({ reads: some, toldAt: -Infinity }));
          for (let now = 0; now < 18 * 60 * minuteMs; now += minuteMs) {
            const due = { listeners, since: now - minuteMs, now, random: Math.random };
            const told = whomToTell({ unheard: vents, ...due });
            expect(new Set(told).size).toBe(told.length);
            for (const one of told) {
              expect(now - one.toldAt).toBeGreaterThanOrEqual(30 * minuteMs);
              expect(
                vents.some(
                  (vent) => vent.language === null || [...one.reads, 'other'].includes(vent.language),
                ),
              ).toBe(true);
              one.toldAt = now;
            }
          }
        },
      ),
      { ...options, numRuns: Math.ceil(options.numRuns / 10) },
    );
  });

  test('any listener as likely as any other', () => {
    const random = createSeededRandom(5).next;
    const listeners = listenersOf(10);
    const hits = listeners.map(() => 0);
    for (let round = 0; round < 10_000; round += 1)
      for (const one of whomToTell({ unheard, listeners, since: 0, now: 2 * minuteMs, random }))
        hits[listeners.indexOf(one)]! += 1;
    // 3,000 each, with a standard deviation of 46.
    for (const count of hits) expect(Math.abs(count - 3000)).toBeLessThan(275);
  });
});

test('two minutes after a vent nobody has answered, three who listen are told with a tick, and once', async () => {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const [author, silent, ...others] = (await peopleOf(app, 6)) as [Person, Person, ...Person[]];
  const quiet = await openLine(app, silent);
  const lines = await openLines(app, others);
  const all = [quiet, ...lines];
  await toFullMinute(app, all);
  await makeVent(app, author);
  await runClock(app, 2 * minuteMs - 2000, all);
  expect(all.map(marksOf)).toEqual([0, 0, 0, 0, 0]);
  await runClock(app, soon + 2000, all);
  expect(marksOf(quiet)).toBe(0);
  expect(lines.map(marksOf).toSorted()).toEqual([0, 1, 1, 1]);
  // Only one has not been told yet.
  await runClock(app, 6 * minuteMs, all);
  expect(lines.map(marksOf)).toEqual([1, 1, 1, 1]);
  expect(marksOf(quiet)).toBe(0);
});

test('nobody is told of a vent that was answered, is closed, or is in a language they do not read', async () => {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const [author, reader, third] = (await peopleOf(app, 3)) as [Person, Person, Person];
  const lines = await openLines(app, [third], '1010');
  await toFullMinute(app, lines);
  await makeVent(app, author, {
    title: 'In English',
    text: 'This is what I could not say to anybody at home.',
  });
  const answered = await makeVent(app, author, { title: 'कोई नहीं', text: 'आज घर पर किसी से बात नहीं हुई।' });
  const body = { ventId: answered.id, text: 'I hear you', anonymous: true };
  expect((await app.call(commentOnVent, { as: reader, body })).status).toBe(201);
  await runClock(app, 9 * minuteMs, lines);
  const closed = await makeVent(app, author, { title: 'बंद', text: 'आज किसी से कुछ नहीं सुनना है।' });
  const allow = { as: author, params: { id: closed.id }, body: { allowComments: false } };
  expect((await app.call(setVentComments, allow)).status).toBe(200);
  await runClock(app, 3 * minuteMs, lines);
  expect(lines.map(marksOf)).toEqual([0]);
  await toFullMinute(app, lines);
  await makeVent(app, author, { title: 'अकेला', text: 'आज फिर किसी ने नहीं पूछा कि मैं कैसा हूँ।' });
  await runClock(app, 2 * minuteMs + soon, lines);
  expect(lines.map(marksOf)).toEqual([1]);
});

test('the list of those who wait is read once in five seconds, only while somebody listens, and nothing is written', async () => {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const [author, ...people] = (await peopleOf(app, 8)) as [Person, ...Person[]];
  await makeVent(app, author);
  const read = () => app.statements.filter(({ text }) => text.includes('content.vent_stats')).length;
  const lines: Line[] = [];
  for (const person of people) lines.push(await openLine(app, person));
  app.statements.length = 0;
  await runClock(app, minuteMs, lines);
  expect(read()).toBe(0);
  lines.push(...(await openLines(app, people)));
  app.statements.length = 0;
  await runClock(app, 3 * minuteMs, lines);
  expect(read()).toBeGreaterThan(0);
  expect(read()).toBeLessThanOrEqual((3 * minuteMs) / 5000 + 1);
  expect(app.statements.filter(({ text }) => !/^\s*select/iu.test(text))).toEqual([]);
});

type Leak = 'frame' | 'length';
const watchedMs = 4 * minuteMs;

/** What an observer of the network sees of five who listen, while vents wait or not. */
async function observe({ vents, leak }: { readonly vents: number; readonly leak?: Leak }) {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const [author, ...people] = (await peopleOf(app, 6)) as [Person, ...Person[]];
  let late: Duplex[] = [];
  app.server.server.on('upgrade', (_request, wire: Duplex) => {
    const write = wire.write.bind(wire) as (chunk: unknown, ...rest: unknown[]) => boolean;
    Object.assign(wire, {
      write(chunk: unknown, ...rest: unknown[]) {
        const isMark = String(chunk).includes('"waits":1');
        const isWritten = write(chunk, ...rest);
        // An empty ping after the mark, or a frame of its own a little later.
        if (isMark && leak === 'length') write(Buffer.from([0x89, 0]));
        if (isMark && leak === 'frame') late.push(wire);
        return isWritten;
      },
    });
  });
  const lines = await openLines(app, people);
  await toFullMinute(app, lines);
  const wires = lines.map((line) => watchWire(app, line));
  for (let n = 0; n < vents; n += 1) await makeVent(app, author);
  await runClock(app, watchedMs, lines, {
    async eachStep() {
      const due = late;
      late = [];
      if (due.length === 0) return;
      const before = lines.reduce((sum, { frames }) => sum + frames.length, 0);
      for (const wire of due)
        wire.write(Buffer.concat([Buffer.from([0x81, 126, 2, 0]), Buffer.from('{}'.padEnd(512))]));
      await expect
        .poll(() => lines.reduce((sum, { frames }) => sum + frames.length, 0), { interval: 1 })
        .toBeGreaterThanOrEqual(before + due.length);
    },
  });
  return { wires: wires.map((wire) => wire()), marks: lines.reduce((sum, line) => sum + marksOf(line), 0) };
}

test('moments and lengths on the wire are equal whether vents wait or not; a planted frame and a planted length are found', async () => {
  const quiet = await observe({ vents: 0 });
  expect(quiet.marks).toBe(0);
  const difference = ({ wires }: typeof quiet) =>
    wires.flatMap((wire, n) => compareWires(quiet.wires[n] ?? [], wire));
  expect(quiet.wires.every((wire) => wire.length >= watchedMs / tickMs - 1)).toBe(true);
  const waiting = await observe({ vents: 4 });
  // All five were told, and nobody sees it on the wire.
  expect(waiting.marks).toBe(5);
  expect(difference(waiting)).toEqual([]);
  for (const leak of ['frame', 'length'] as const)
    expect(difference(await observe({ vents: 4, leak })).length, leak).toBeGreaterThanOrEqual(5);
});

/** Who is told, and after which minutes, where one person wrote x and another y, or the reverse. */
async function tellWorld(authors: readonly [number, number], isAware = false): Promise<string[]> {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const people = await peopleOf(app, 8);
  if (isAware) {
    // The planted leak: the author of x is not told of any.
    const { sources } = app.features.live;
    const { whomToTell: tellAll } = sources;
    Object.assign(sources, {
      whomToTell: (some: readonly never[]) => tellAll(some.filter((_, n) => n !== authors[0])),
    });
  }
  const lines = await openLines(app, people);
  await toFullMinute(app, lines);
  app.setRandom(createSeededRandom(11).next);
  const from = app.clock.now();
  for (const n of authors) {
    await makeVent(app, people[n] as Person, { title: 'x', text: 'What I could not say' });
    await runClock(app, minuteMs, lines);
  }
  await runClock(app, 7 * minuteMs + soon, lines);
  const stepOf = (at: number) => [9, 8, 3, 2].find((minutes) => at - from >= minutes * minuteMs);
  return lines.map(({ frames }) =>
    frames
      .filter(({ tick }) => tick.waits === 1)
      .map(({ at }) => stepOf(at))
      .join(),
  );
}

test(
  'in two worlds that differ in who wrote which vent, the same people are told; a planted rule that spares the author is found',
  fullTier('whomToTell gets no person: types refuse a rule that knows the author.'),
  async () => {
    const one = await tellWorld([0, 1]);
    expect(one.filter((steps) => steps !== '').length).toBe(8);
    expect(await tellWorld([1, 0])).toEqual(one);
    const planted = [await tellWorld([0, 1], true), await tellWorld([1, 0], true)];
    expect(planted[0]).not.toEqual(planted[1]);
  },
);
