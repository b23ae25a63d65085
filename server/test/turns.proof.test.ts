import { readingLanguages, type ReadingLanguage } from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { createTurns, type Draw, type Turns } from '../src/content/listening/turns.ts';
import { minuteMs } from '../src/platform/clock.ts';
import { runs } from './runs.ts';
import { seeded, type Seeded } from './statistics.ts';

/** The order in which vents are offered to listeners, on its own: attacks, its bound, and that nobody can steer it. */

const all = { reads: readingLanguages } as const;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

function addVents(turns: Turns, count: number, languageOf: (n: number) => ReadingLanguage = () => 'en') {
  for (const n of numbers(count))
    turns.add(
      { ventId: BigInt(n), answers: 0, createdAt: n * minuteMs, language: languageOf(n) },
      count * minuteMs,
      true,
    );
}

/** The vents whose turns a draw moved. */
function drawAndWatch(turns: Turns, asked: Draw): number[] {
  return turns.draw(asked)[0].slice(0, asked.count).map(Number);
}

describe('a farm that sees which turns a known listener moved', () => {
  const [vents, own, draws] = [20, 2, 60];

  /**
   * The share of the listener's two vents that are among the two that moved least, and among those that moved most.
   * `isAware` is the planted leak: the listener's own vents are left out before turns move.
   */
  function attack(count: number, isAware: boolean): number[] {
    const random = seeded(7);
    const rounds = runs('LISTENER_ROUNDS', { change: 2000, full: 10_000 });
    const hits = { least: 0, most: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const turns = createTurns(random.next);
      addVents(turns, vents);
      const ownVents = new Set(random.shuffle(numbers(vents)).slice(0, own));
      if (isAware) for (const n of ownVents) turns.remove(BigInt(n));
      const moved = numbers(vents).map(() => 0);
      for (let n = 0; n < draws; n += 1)
        for (const vent of drawAndWatch(turns, { ...all, count, now: (vents + n) * minuteMs }))
          moved[vent] = (moved[vent] ?? 0) + 1;
      const byMoves = random.shuffle(numbers(vents)).toSorted((a, b) => (moved[a] ?? 0) - (moved[b] ?? 0));
      hits.least += byMoves.slice(0, own).filter((n) => ownVents.has(n)).length;
      hits.most += byMoves.slice(-own).filter((n) => ownVents.has(n)).length;
    }
    return Object.values(hits).map((hit) => hit / (rounds * own));
  }

  test.each([1, 5])('cannot tell which of twenty vents are the listener’s (count %i)', (count) => {
    for (const share of attack(count, false)) {
      console.log(`${(100 * share).toFixed(1)} % of own vents named, chance 10 %`);
      expect(Math.abs(share - own / vents)).toBeLessThan(0.02);
    }
  });

  test('names nearly all of them where the draw leaves out the listener’s own: the planted leak', () => {
    const [least = 0] = attack(1, true);
    console.log(`planted: ${(100 * least).toFixed(1)} % of own vents named`);
    expect(least).toBeGreaterThan(0.9);
  });
});

test('ten listeners who draw at once on two processes get at least six of ten vents, in the mean of 100 rounds', () => {
  const random = seeded(11);
  const rounds = numbers(100).map(() => {
    const processes = [createTurns(random.next), createTurns(random.next)];
    for (const turns of processes) addVents(turns, 10);
    const shown = numbers(10).map((n) =>
      processes[n % 2]?.draw({ ...all, count: 1, now: 11 * minuteMs })[0].at(0),
    );
    return new Set(shown).size;
  });
  const mean = rounds.reduce((sum, one) => sum + one, 0) / rounds.length;
  console.log(`${mean.toFixed(2)} different vents in the mean`);
  expect(mean).toBeGreaterThanOrEqual(6);
});

test('500 draws of one account with every combination of parameters move no vent more often than others of its language', () => {
  const random = seeded(13);
  const turns = createTurns(random.next);
  const perLanguage = 10;
  addVents(turns, perLanguage * readingLanguages.length, (n) => readingLanguages[n % 3] as ReadingLanguage);
  const moved = new Map<number, number>();
  const subsets = numbers(7).map((n) => readingLanguages.filter((_, bit) => (n + 1) & (1 << bit)));
  for (let n = 0; n < 500; n += 1) {
    const asked = { reads: subsets[n % 7] ?? [], count: 1 + (Math.floor(n / 7) % 5) };
    for (const vent of drawAndWatch(turns, { ...asked, now: (60 + n) * minuteMs }))
      moved.set(vent, (moved.get(vent) ?? 0) + 1);
  }
  for (const language of readingLanguages.keys()) {
    const counts = numbers(perLanguage).map((n) => moved.get(n * 3 + language) ?? 0);
    const mean = counts.reduce((sum, count) => sum + count, 0) / perLanguage;
    const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
    expect(mean).toBeGreaterThan(20);
    // p = 0.01 at 9 degrees of freedom.
    expect(chiSquare).toBeLessThan(21.67);
  }
});

describe('once it is the turn of a vent', () => {
  interface Expected {
    turnAt: number;
    draws: number;
    /** Draws of others since its turn came, and how many waited then. */
    passed: number | null;
    waiting: number;
  }

  /** Lives through vents, draws and answers, and returns for each draw how many others came first. */
  function liveThrough(random: Seeded, pool: number): { passed: number; waiting: number }[] {
    let lastRandom = 0;
    const turns = createTurns(() => (lastRandom = random.next()), pool);
    const expected = new Map<bigint, Expected>();
    const [ventsPerDraw, answerShare] = [0.05 + random.next() * 0.6, random.next() * 0.3];
    const results: { passed: number; waiting: number }[] = [];
    let [now, nextId] = [0, 0n];
    for (let event = 0; event < 120; event += 1) {
      now += random.next() * 2 * minuteMs;
      for (const vent of expected.values())
        if (vent.passed === null && vent.turnAt <= now)
          Object.assign(vent, { passed: 0, waiting: expected.size });
      if (random.next() < ventsPerDraw) {
        // Older than the time from which the pool grows with the number of new vents.
        turns.add({ ventId: nextId, answers: 0, createdAt: now, language: null }, now + 60 * minuteMs, true);
        expected.set(nextId, { turnAt: now, draws: 0, passed: 0, waiting: expected.size + 1 });
        nextId += 1n;
        continue;
      }
      const [drawn] = turns.draw({ ...all, count: 1, now })[0];
      const vent = drawn === undefined ? undefined : expected.get(drawn);
      if (drawn === undefined || !vent) continue;
      for (const [id, other] of expected) if (id !== drawn && other.passed !== null) other.passed += 1;
      if (vent.passed !== null) results.push({ passed: vent.passed, waiting: vent.waiting });
      const step = Math.min(240, 4 * 1.5 ** vent.draws) * minuteMs;
      vent.turnAt = Math.max(vent.turnAt, now) + step * (0.75 + lastRandom / 2);
      vent.draws += 1;
      vent.passed = null;
      if (random.next() < answerShare) {
        turns.remove(drawn);
        expected.delete(drawn);
      }
    }
    return results;
  }

  const histories = runs('TURN_HISTORIES', { change: 500, full: 10_000 });

  test('at most every other one comes first, where the earliest goes first', () => {
    const random = seeded(17);
    const draws = numbers(histories).flatMap(() => liveThrough(random, 1));
    expect(draws.length).toBeGreaterThan(histories * 10);
    expect(draws.filter(({ passed, waiting }) => passed > waiting - 1)).toEqual([]);
  });

  test('at most all but eight and a geometric number more, where one of eight goes first', () => {
    const random = seeded(19);
    const beyond = numbers(histories)
      .flatMap(() => liveThrough(random, 8))
      .map(({ passed, waiting }) => Math.max(0, passed - Math.max(0, waiting - 8)));
    const mean = beyond.reduce((sum, one) => sum + one, 0) / beyond.length;
    console.log(
      `in the mean ${mean.toFixed(2)} more than the bound, at most ${Math.max(...new Set(beyond))}`,
    );
    expect(mean).toBeLessThan(8);
    // A share of 7/8 to the power of 200 of all draws is more.
    expect(beyond.filter((one) => one > 200)).toEqual([]);
  });
});
