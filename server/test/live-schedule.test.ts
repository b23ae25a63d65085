import {
  commentOnVent,
  listInbox,
  markInboxSeen,
  pollLiveCounts,
  react,
  reactionTypes,
} from '@unsaid/contract';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { ownTestApp, useTestApp, type Actor, type TestApp } from './app.ts';
import { makeUser, makeVent, type Person } from './factories.ts';
import { compareWires, openLine, runClock, watchWire, type BytesAt, type Line } from './live.ts';
import { accept, name, suggestionWith } from './pairs.ts';

/**
 * What an observer of the network sees of a live connection: when bytes come, and how many. It must not depend on what
 * others write, and what does come must not be newer than a random delay allows.
 */

const minuteMs = 60_000;
const tickMs = 25_000;

interface Observed {
  readonly bytesAt: BytesAt;
  readonly pollBytes: readonly number[];
  readonly counts: Line['frames'][number]['tick']['counts'] | undefined;
}

interface World {
  /** Comments and reactions of others on A's vent. */
  readonly events: number;
  /** A fault to be found: each event sends a frame to A. */
  readonly isPushed?: boolean;
}

const forMs = 15 * minuteMs;

async function observe({ events, isPushed = false }: World): Promise<Observed> {
  const app = await ownTestApp({ limitsScale: 1_000_000 });
  const [a, b] = [await makeUser(app), await makeUser(app)];
  const vent = await makeVent(app, a);
  let wire: Duplex | undefined;
  app.server.server.on('upgrade', (_request, socket: Duplex) => (wire = socket));
  const line = await openLine(app, a);
  const bytesAt = watchWire(app, line);
  const steps = forMs / 500;
  let [step, done] = [0, 0];
  const polled: number[] = [];
  await runClock(app, forMs, [line], {
    stepMs: 500,
    async eachStep() {
      step += 1;
      if (step % 600 === 0) polled.push((await app.call(pollLiveCounts, { as: a, body: {} })).text.length);
      if (done >= (step / steps) * events) return;
      await say(app, b, vent.id, done);
      done += 1;
      if (!isPushed) return;
      const before = line.frames.length;
      wire?.write(Buffer.concat([Buffer.from([0x81, 126, 2, 0]), Buffer.from('{}'.padEnd(512))]));
      await expect.poll(() => line.frames.length, { interval: 1 }).toBe(before + 1);
    },
  });
  expect(done).toBe(events);
  return {
    bytesAt: bytesAt(),
    pollBytes: polled,
    counts: line.frames.at(-1)?.tick.counts,
  };
}

async function say(app: TestApp, as: Actor, ventId: string, n: number): Promise<void> {
  const type = reactionTypes[Math.floor(n / 2) % 3] ?? 'hug';
  const answer =
    n % 2 === 0
      ? await app.call(commentOnVent, { as, body: { ventId, text: `said ${n}`, anonymous: true } })
      : await app.call(react, { as, body: { ventId, reactionType: type } });
  expect(answer.status).toBeLessThan(300);
}

function difference(one: Observed, other: Observed): string[] {
  const found = compareWires(one.bytesAt, other.bytesAt);
  if (String(one.pollBytes) !== String(other.pollBytes)) found.push('length of polling');
  return found;
}

test('moments and lengths on the wire are equal whether a vent is answered 60 times or never; a planted push is found', async () => {
  const quiet = await observe({ events: 0 });
  const answered = await observe({ events: 60 });
  expect(quiet.bytesAt.length).toBeGreaterThanOrEqual(forMs / tickMs - 1);
  expect(quiet.pollBytes).toHaveLength(3);
  expect(difference(quiet, answered)).toEqual([]);
  // The worlds do differ, in what only A can read.
  expect(quiet.counts).toMatchObject({ answers: 0, gifts: 0 });
  expect(answered.counts?.answers).toBeGreaterThan(5);
  const pushed = await observe({ events: 60, isPushed: true });
  expect(difference(quiet, pushed).length).toBeGreaterThan(20);
});

const app = useTestApp({ limitsScale: 1_000_000 });

test('an answer shows after up to ten minutes, at a moment that does not follow from it, and the inbox shows it at once', async () => {
  const b = await makeUser(app);
  const delays: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const a = await makeUser(app);
    const vent = await makeVent(app, a);
    const line = await openLine(app, a);
    await runClock(app, (n % 3) * 2 * minuteMs, [line], { stepMs: 5000 });
    await say(app, b, vent.id, 0);
    const from = app.clock.now();
    expect((await app.call(listInbox, { as: a })).body.counts.answers).toBe(1);
    while (line.frames.at(-1)?.tick.counts.answers !== 1) {
      // A tick is prepared one to two seconds ahead: a longer step would send it with the counts before.
      await runClock(app, 1000, [line]);
      expect(app.clock.now() - from).toBeLessThanOrEqual(10 * minuteMs + 3000);
    }
    delays.push(app.clock.now() - from);
    line.socket.terminate();
    await line.closed;
  }
  // They are drawn from minutes: six within five seconds of each other have a chance of less than one in a million.
  expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(5000);
});

test('what was read is gone at the next tick, and a yes shows at the next tick', async () => {
  const own = await ownTestApp({ limitsScale: 1_000_000 });
  const [a, b] = [await makeUser(own), await makeUser(own)];
  const vent = await makeVent(own, a);
  await say(own, b, vent.id, 0);
  const line = await openLine(own, a);
  await runClock(own, tickMs, [line]);
  expect(line.frames.at(-1)?.tick.counts).toMatchObject({ answers: 1, matches: 0 });
  const inbox = await own.call(listInbox, { as: a });
  const { body } = await own.call(markInboxSeen, {
    as: a,
    body: { cursor: inbox.body.cursor, shown: inbox.body.lines.map(({ key }) => key) },
  });
  line.socket.send(JSON.stringify({ kind: 'seen', cursor: body.cursor }));
  await runClock(own, tickMs + 2000, [line]);
  expect(line.frames.at(-1)?.tick.counts).toMatchObject({ answers: 0 });
  await pairUp(own, a, b);
  await runClock(own, tickMs + 2000, [line]);
  expect(line.frames.at(-1)?.tick.counts).toMatchObject({ matches: 1 });
});

test('polling follows the same delay: `counted` is used until it is due, and a new cursor counts at once', async () => {
  const [a, b] = [await makeUser(app), await makeUser(app)];
  const vent = await makeVent(app, a);
  const poll = async (body: { cursor?: string; counted?: string }) =>
    (await app.call(pollLiveCounts, { as: a, body })).body;
  const { counted } = await poll({});
  await say(app, b, vent.id, 0);
  expect((await poll({ counted })).counts.answers).toBe(0);
  expect((await poll({})).counts.answers).toBe(1);
  const others = (await app.call(pollLiveCounts, { as: b, body: {} })).body.counted;
  expect((await poll({ counted: others })).counts.answers, 'of another session').toBe(1);
  const { cursor } = (await app.call(listInbox, { as: a })).body;
  expect((await poll({ counted, cursor })).counts.answers, 'of another cursor').toBe(1);
  app.clock.advance(10 * minuteMs);
  expect((await poll({ counted })).counts.answers).toBe(1);
});

test('all connections that are due in a second share their statements, and every statement only reads', async () => {
  const own = await ownTestApp({ limitsScale: 1_000_000 });
  const people: Person[] = [];
  for (let n = 0; n < 8; n += 1) people.push(await makeUser(own));
  const lines: Line[] = [];
  for (const person of people) for (let n = 0; n < 5; n += 1) lines.push(await openLine(own, person));
  await runClock(own, 2 * tickMs, lines);
  own.statements.length = 0;
  const before = lines.reduce((sum, { frames }) => sum + frames.length, 0);
  await runClock(own, 2 * tickMs, lines);
  expect(lines.reduce((sum, { frames }) => sum + frames.length, 0) - before).toBe(80);
  const about = (table: string) => own.statements.filter(({ text }) => text.includes(table)).length;
  // At most one for each second.
  expect(about('matching.pairs')).toBeLessThanOrEqual(50);
  expect(about('identity.sessions')).toBeLessThanOrEqual(50);
  expect(own.statements.filter(({ text }) => !/^\s*select/iu.test(text))).toEqual([]);
});

/** B asks for suggestions, finds A and says yes. */
async function pairUp(own: TestApp, a: Person, b: Person): Promise<void> {
  await name(own, a, ['Sad']);
  await name(own, b, ['Sad']);
  const { _id } = await suggestionWith(own, b, a);
  expect((await accept(own, b, _id)).status).toBe(200);
}
