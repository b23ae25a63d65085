import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBeat } from '../src/platform/live/beat.ts';
import { toFrame } from '../src/platform/live/frame.ts';
import { drawRecount, isRecountDue } from '../src/platform/live/recount.ts';
import { runs, seed } from './runs.ts';

const options = { seed, numRuns: runs('BEAT_RUNS', { change: 300, full: 5000 }) };
const periodMs = 25_000;

type Event =
  | { readonly kind: 'join'; readonly phase: number }
  | { readonly kind: 'leave'; readonly which: number }
  | { readonly kind: 'wait'; readonly ms: number };

const history = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const), phase: fc.nat(249) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat(20) }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(5000) }) },
  ),
  { minLength: 20, maxLength: 120 },
);

interface Log {
  readonly joinedAt: number;
  readonly sentAt: number[];
  readonly preparedAt: number[];
  leftAt: number;
}

/** Runs a history; `pollMs` is how often the clock is looked at. */
function play(events: readonly Event[], pollMs: number): readonly Log[] {
  let now = 1_000_000;
  const logs: Log[] = [];
  const present: Log[] = [];
  const phases: number[] = [];
  const beat = createBeat<Log>({
    periodMs,
    now,
    draw: () => phases.shift() ?? 0,
    send: (one) => void one.sentAt.push(now),
    prepare: (many) => {
      for (const one of many) one.preparedAt.push(now);
    },
  });
  for (const event of events) {
    if (event.kind === 'join') {
      const one: Log = { joinedAt: now, sentAt: [], preparedAt: [], leftAt: Infinity };
      phases.push(event.phase);
      beat.add(one);
      logs.push(one);
      present.push(one);
    } else if (event.kind === 'leave') {
      const [one] = present.splice(event.which % Math.max(1, present.length), 1);
      if (one) {
        one.leftAt = now;
        beat.remove(one);
      }
    } else {
      for (let left = event.ms; left > 0; left -= pollMs) {
        now += Math.min(pollMs, left);
        beat.advance(now);
      }
    }
  }
  for (const one of present) one.leftAt = now;
  return logs;
}

describe('the beat', () => {
  test('sends to each member once a period from its first phase on, and never after it left', () => {
    fc.assert(
      fc.property(history, fc.constantFrom(10, 100, 250, 1000), (events, pollMs) => {
        for (const { joinedAt, leftAt, sentAt } of play(events, pollMs)) {
          // The clock is looked at every `pollMs`, and time is cut into steps of 100 ms.
          const slack = pollMs + 100;
          const lived = leftAt - joinedAt;
          expect(sentAt.length).toBeGreaterThanOrEqual(Math.floor((lived - slack) / periodMs));
          expect(sentAt.length).toBeLessThanOrEqual(Math.floor((lived + slack) / periodMs) + 1);
          for (const [n, at] of sentAt.entries()) {
            expect(at).toBeLessThanOrEqual(leftAt);
            const since = at - (sentAt[0] ?? 0);
            expect(Math.abs(since - n * periodMs)).toBeLessThanOrEqual(slack);
          }
        }
      }),
      options,
    );
  });

  test('gives a member the same times whoever else comes and goes', () => {
    fc.assert(
      fc.property(history, fc.nat(249), (events, phase) => {
        const me: Event = { kind: 'join', phase };
        const alone = events.filter(({ kind }) => kind === 'wait');
        // The first member never leaves.
        const others = events.filter(({ kind }) => kind !== 'leave');
        const [withOthers, without] = [play([me, ...others], 50)[0], play([me, ...alone], 50)[0]];
        expect(withOthers?.sentAt).toEqual(without?.sentAt);
        expect(withOthers?.preparedAt).toEqual(without?.preparedAt);
      }),
      options,
    );
  });

  test('prepares each tick once, one to two seconds before it', () => {
    fc.assert(
      fc.property(history, (events) => {
        for (const { joinedAt, sentAt, preparedAt } of play(events, 100)) {
          for (const at of sentAt.filter((one) => one - joinedAt > 2100)) {
            const before = preparedAt.filter((one) => one <= at && one > at - 2100);
            expect(before).toHaveLength(1);
            expect(at - (before[0] ?? 0)).toBeGreaterThanOrEqual(900);
          }
        }
      }),
      options,
    );
  });

  test('sends one tick to each member after a long pause, not one for each that was missed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(249), { maxLength: 40 }),
        fc.integer({ min: 25_000, max: 1e9 }),
        (phases, ms) => {
          const sent = new Map<number, number>();
          const queue = [...phases];
          const beat = createBeat<number>({
            periodMs,
            now: 0,
            draw: () => queue.shift() ?? 0,
            prepare: () => {},
            send: (one) => void sent.set(one, (sent.get(one) ?? 0) + 1),
          });
          for (const n of phases.keys()) beat.add(n);
          beat.advance(ms);
          expect([...sent.values()]).toEqual(phases.map(() => 1));
        },
      ),
      options,
    );
  });

  test('draws phases over the whole period', () => {
    let now = 0;
    const times: number[] = [];
    const beat = createBeat<object>({
      periodMs,
      now,
      prepare: () => {},
      send: () => void times.push(now),
    });
    for (let n = 0; n < 5000; n += 1) beat.add({});
    for (; now <= periodMs; now += 100) beat.advance(now);
    // 20 a step on average; by chance fewer than 100 in a twenty-fifth: never (less than one in a million).
    const seconds = new Map<number, number>();
    for (const at of times)
      seconds.set(Math.floor((at - 1) / 1000), (seconds.get(Math.floor((at - 1) / 1000)) ?? 0) + 1);
    expect(times).toHaveLength(5000);
    expect(seconds.size).toBe(25);
    for (const count of seconds.values()) expect(count).toBeGreaterThan(100);
  });
});

describe('counts of content', () => {
  test('are counted again 5 to 10 minutes later, at the tick that shows it too', () => {
    for (let n = 0; n < 20_000; n += 1) {
      const ms = drawRecount({ tickMs: periodMs, recountMs: 300_000 });
      expect(ms).toBeGreaterThanOrEqual(300_000);
      expect(ms + periodMs).toBeLessThanOrEqual(600_000);
    }
  });

  test('are counted again at once when the clock was set back by more than any draw', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: -1e9, max: 1e9 }), (now, offset) => {
        const isDue = isRecountDue(now + offset, now, 300_000);
        expect(isDue).toBe(offset <= 0 || offset > 600_000);
      }),
      options,
    );
  });
});

test('a frame is JSON of a multiple of 512 bytes, whatever it says', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (content) => {
      const frame = { ...content };
      const text = toFrame(frame);
      expect(Buffer.byteLength(text) % 512).toBe(0);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(frame));
    }),
    options,
  );
});
