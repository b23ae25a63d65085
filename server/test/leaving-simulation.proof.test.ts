/**
 * @module-tag full
 * A day later: a schedule that helps the attacker is live until the morning. leaving.test.ts sees bursts and early
 * removals on every change.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { chooseDue, scheduleItems, periodOf, type DueItem } from '../src/content/leaving/schedule.ts';
import type { RemovalSpan } from '../src/kernel/leaving-spans.ts';
import { addDays, dayMs, dayOf, startOfDay, type Day } from '../src/platform/clock.ts';
import { seeded, type Seeded } from './statistics.ts';

/**
 * Simulates a community of 500 that one person a week leaves, many times, with the schedule and the selection of the
 * real worker. The attacker knows who left on which day, sees when every vent disappears, and whose named comment
 * disappeared when.
 */

const minute = 60_000;
const firstDay: Day = '2026-01-05';

interface Leaver {
  readonly begins: number;
  readonly ends: number;
  /** When their vents and their named comments disappear. */
  readonly vents: readonly number[];
  readonly named: readonly number[];
}

/** How the items of a person are removed: by our rule, or by a planted one. */
type Removal = (
  leftAt: number,
  counts: { readonly vents: number; readonly named: number },
  random: Seeded,
) => Leaver;

/**
 * Simulates the rounds of the worker over scheduled items, from one due item to the next. There is no round while it is
 * down.
 */
function simulateWorker(
  items: readonly DueItem[],
  ends: number,
  isAway: (now: number) => boolean,
  random: Seeded,
) {
  const ahead = [...items];
  let due: DueItem[] = [];
  const gone: { item: DueItem; at: number }[] = [];
  let elapsedMs = minute;
  for (let now = ahead.at(-1)?.dueAt ?? 0; ahead.length + due.length > 0;) {
    // A round begins at a full minute.
    now = Math.ceil(now / minute) * minute;
    for (let item = ahead.at(-1); item && item.dueAt <= now; item = ahead.at(-1)) {
      due.push(item);
      ahead.pop();
    }
    const [item] = isAway(now) ? [] : chooseDue(due, ends, { now, elapsedMs, random: random.next });
    if (item) {
      due = due.filter((one) => one !== item);
      gone.push({ item, at: now });
    }
    const next = ahead.at(-1)?.dueAt ?? Infinity;
    // A missed item has a chance in every round; half an hour of rounds is simulated as one.
    const isMet = due.some(({ dueAt }) => now - dueAt < 10 * minute);
    const soon = now + (isMet ? minute : 30 * minute);
    const until = due.length > 0 ? Math.min(soon, next) : next;
    elapsedMs = Math.max(minute, until - now);
    now = until;
  }
  return gone;
}

const secretFrom = (random: Seeded) => createHash('sha256').update(String(random.next())).digest();

const realSchedule =
  (span: RemovalSpan, isAway: (now: number) => boolean = () => false): Removal =>
  (leftAt, { vents, named }, random) => {
    const ticket = {
      secrets: { vent: secretFrom(random), comment: secretFrom(random) },
      lastSlots: { vent: vents, comment: named },
      leftOn: dayOf(leftAt),
      span,
    };
    const { begins, ends } = periodOf(ticket);
    const gone = simulateWorker(scheduleItems(ticket), ends, isAway, random);
    const of = (kind: DueItem['kind']) => gone.filter(({ item }) => item.kind === kind).map(({ at }) => at);
    return { begins, ends, vents: of('vent'), named: of('comment') };
  };

/** Planted: the name disappears from all comments at once, the items over the next 72 hours. */
const within72Hours: Removal = (leftAt, { vents, named }, random) => ({
  begins: leftAt,
  ends: leftAt + 3 * dayMs,
  vents: Array.from({ length: vents }, () => leftAt + random.next() * 3 * dayMs),
  named: Array.from({ length: named }, () => leftAt),
});

/** Planted: our schedule, but everything is removed after two thirds of the period. */
const tooEarly: Removal = (leftAt, counts, random) => {
  const scheduled = realSchedule('30days')(leftAt, counts, random);
  return {
    ...scheduled,
    vents: scheduled.vents.map((at) => scheduled.begins + ((at - scheduled.begins) * 2) / 3),
  };
};

type Guess = (at: number, candidates: readonly Leaver[], random: Seeded) => Leaver | undefined;

const nearest = (at: number, times: readonly number[]) =>
  times.reduce((least, time) => Math.min(least, Math.abs(time - at)), Infinity);

const guesses: Record<string, Guess> = {
  'at random': (_, candidates, random) => random.pick(candidates),
  'who left last': (_, candidates) => candidates.at(-1),
  'who left first': (_, candidates) => candidates[0],
  'whose named comment disappeared nearest': (at, candidates) =>
    candidates.toSorted((a, b) => nearest(at, a.named) - nearest(at, b.named))[0],
  'whose name disappeared last before it': (at, candidates) => {
    const last = ({ named }: Leaver) => Math.max(0, ...named.filter((time) => time <= at));
    return candidates.toSorted((a, b) => last(b) - last(a))[0];
  },
};

interface Figure {
  readonly name: string;
  /** The share of disappeared vents that were attributed to the right person. */
  readonly share: number;
  /** 1 / (leavers within the period), averaged over them. */
  readonly promised: number;
  /** Standard errors above the promised share. */
  readonly sigmas: number;
}

const weeks = 26;

interface Size {
  readonly perWeek: number;
  readonly communities: number;
}
const usual: Size = { perWeek: 1, communities: 300 };

/** The promise refers to the period that the leaver chose, whatever the items really do. */
function runAttack(removal: Removal, span: RemovalSpan, { perWeek, communities }: Size = usual): Figure[] {
  const sums = new Map(Object.keys(guesses).map((name) => [name, [] as number[]]));
  let [promised, seen] = [0, 0];
  const right = new Map<string, number>();
  for (let community = 0; community < communities; community += 1) {
    const random = seeded(1000 + community);
    const drawCount = (mean: number) => Math.floor(-Math.log(1 - random.next()) * mean);
    const leavers = Array.from({ length: Math.round(weeks * perWeek) }, (_, n) => {
      const leftAt = startOfDay(firstDay) + ((n + random.next()) / perWeek) * 7 * dayMs;
      const known = periodOf({ leftOn: dayOf(leftAt), span });
      const leaver = removal(leftAt, { vents: 1 + drawCount(8), named: drawCount(4) }, random);
      return { ...leaver, begins: Math.min(known.begins, leaver.begins), ends: known.ends };
    }).toSorted((a, b) => a.begins - b.begins);
    // Only where as many left before as after: at the edges there are fewer candidates.
    const from = startOfDay(addDays(firstDay, 7 * 6));
    const until = startOfDay(addDays(firstDay, 7 * (weeks - 1)));
    const above = new Map(Object.keys(guesses).map((name) => [name, 0]));
    let vanished = 0;
    for (const leaver of leavers) {
      for (const at of leaver.vents) {
        if (at < from || at > until) continue;
        const candidates = leavers.filter(({ begins, ends }) => begins <= at && at < ends + minute);
        // Removed late, after the worker was down, with no one in their period: the attacker has no candidate.
        if (candidates.length === 0) continue;
        vanished += 1;
        promised += 1 / candidates.length;
        for (const [name, guess] of Object.entries(guesses)) {
          const isRight = guess(at, candidates, random) === leaver ? 1 : 0;
          right.set(name, (right.get(name) ?? 0) + isRight);
          above.set(name, (above.get(name) ?? 0) + isRight - 1 / candidates.length);
        }
      }
    }
    seen += vanished;
    for (const [name, sum] of above) sums.get(name)?.push(vanished > 0 ? sum / vanished : 0);
  }
  return [...sums].map(([name, each]) => {
    // The vents of one leaver are not independent, so the sample is communities, not vents.
    const mean = each.reduce((sum, one) => sum + one, 0) / each.length;
    const variance = each.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (each.length - 1);
    return {
      name,
      share: (right.get(name) ?? 0) / seen,
      promised: promised / seen,
      sigmas: mean / Math.sqrt(variance / each.length || 1),
    };
  });
}

function print(what: string, figures: readonly Figure[]): void {
  for (const { name, share, promised, sigmas } of figures)
    console.log(
      `${what}, ${name}: ${(100 * share).toFixed(1)} % right, promised ${(100 * promised).toFixed(1)} %, ${sigmas.toFixed(1)} sigma above`,
    );
}

const maxSigmas = (figures: readonly Figure[]) => Math.max(...figures.map(({ sigmas }) => sigmas));

for (const [span, days] of [
  ['30days', 30],
  ['3days', 3],
] as const) {
  test(`a vent that disappears is attributed to the right person of those who left within ${days} days no more often than by chance (SC-18)`, () => {
    const figures = runAttack(realSchedule(span), span);
    print(`${days} days`, figures);
    expect(figures).toHaveLength(5);
    expect(maxSigmas(figures)).toBeLessThan(3);
  });
}

test('a larger community has more leavers to hide among', () => {
  // One in 500 leaves each week.
  const sizes = [
    { people: 100, perWeek: 0.2, communities: 600 },
    { people: 500, perWeek: 1, communities: 150 },
    { people: 2000, perWeek: 4, communities: 24 },
    { people: 10_000, perWeek: 20, communities: 4 },
  ];
  const shares = sizes.map(({ people, ...size }) => {
    const figures = runAttack(realSchedule('30days'), '30days', size);
    const best = Math.max(...figures.map(({ share }) => share));
    console.log(`${people} people: ${(100 * best).toFixed(1)} % right, best of five guesses`);
    expect(maxSigmas(figures)).toBeLessThan(4);
    return best;
  });
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
});

test('a worker that is down for two days of every month helps the attacker by at most one guess in fifty', () => {
  const away = (now: number) => Math.floor((now - startOfDay(firstDay)) / dayMs) % 30 < 2;
  const figures = runAttack(realSchedule('30days', away), '30days');
  print('30 days, away for two of them', figures);
  // Missed items are removed in the rest of the period. Near its end that is little time, so the rate is slightly
  // higher there.
  for (const { share, promised } of figures) expect(share).toBeLessThan(promised + 0.02);
});

test('the same attack finds items that are removed within 72 hours of a name that disappears at once', () => {
  const figures = runAttack(within72Hours, '30days');
  print('planted, 72 hours', figures);
  expect(maxSigmas(figures)).toBeGreaterThan(20);
  expect(Math.max(...figures.map(({ share }) => share))).toBeGreaterThan(0.9);
});

test('the same attack finds items that are removed in two thirds of the promised period', () => {
  const figures = runAttack(tooEarly, '30days');
  print('planted, 20 of 30 days', figures);
  expect(maxSigmas(figures)).toBeGreaterThan(3);
});
