import { readingLanguages, type ReadingLanguage } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { drawWaiting, type Waiting } from '../src/content/listening/draw.ts';
import { minuteMs } from '../src/platform/clock.ts';
import { runs } from './runs.ts';
import { seeded } from './statistics.ts';

/** Which vents are offered to listeners, on its own: it has no memory, and nobody can steer it. */

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const now = 10_000 * minuteMs;

/** Of these ages in minutes. */
const waitingOf = (
  ages: readonly number[],
  languageOf: (n: number) => ReadingLanguage = () => 'en',
): Waiting[] =>
  ages.map((age, n) => ({
    ventId: BigInt(n),
    answers: 0,
    createdAt: now - age * minuteMs,
    language: languageOf(n),
  }));

const draws = runs('WAITING_DRAWS', { change: 20_000, full: 200_000 });

/** How often each comes first. */
function countFirsts(waiting: readonly Waiting[], random: () => number): number[] {
  const firsts = numbers(waiting.length).map(() => 0);
  for (let n = 0; n < draws; n += 1) {
    const [first] = drawWaiting(waiting, { reads: readingLanguages, count: 1, now, random })[0];
    firsts[Number(first)]! += 1;
  }
  return firsts;
}

function expectShares(firsts: readonly number[], expected: readonly number[]): void {
  const chiSquare = firsts.reduce((sum, count, n) => {
    const mean = draws * (expected[n] ?? 0);
    return sum + (count - mean) ** 2 / mean;
  }, 0);
  // Mean and standard deviation of the distribution are k and the root of 2k.
  const k = firsts.length - 1;
  expect(chiSquare).toBeLessThan(k + 4 * Math.sqrt(2 * k));
}

test('three quarters of the draws go by 1 / (age + 5), one quarter is even', () => {
  const ages = [0, 1, 5, 20, 60, 300, 1440, 5000];
  const weights = ages.map((age) => 1 / (age + 5));
  const sum = weights.reduce((all, one) => all + one, 0);
  const expected = weights.map((weight) => (0.75 * weight) / sum + 0.25 / ages.length);
  expectShares(countFirsts(waitingOf(ages), seeded(3).next), expected);
});

test('the oldest of many comes first in at least one of 4n draws, however many new ones come', () => {
  const ages = [10_000, ...numbers(199)];
  const [oldest = 0] = countFirsts(waitingOf(ages), seeded(5).next);
  // Minus four standard deviations.
  const mean = draws / (4 * ages.length);
  expect(oldest).toBeGreaterThan(mean - 4 * Math.sqrt(mean));
});

test('a draw changes nothing: what is drawn next does not depend on who drew what before', () => {
  const waiting = Object.freeze(waitingOf(numbers(40)).map((vent) => Object.freeze(vent)));
  const after = (before: number) => {
    for (let n = 0; n < before; n += 1)
      drawWaiting(waiting, { reads: ['en'], count: 5, now, random: seeded(n).next });
    const { next: random } = seeded(7);
    return numbers(100).map(() => drawWaiting(waiting, { reads: readingLanguages, count: 2, now, random }));
  };
  expect(after(500)).toEqual(after(0));
});

test('each at most once, both queues apart, only in languages that are read', () => {
  const { next: random } = seeded(11);
  for (let round = 0; round < 2000; round += 1) {
    const size = Math.floor(random() * 30);
    const waiting = numbers(size).map((n): Waiting => {
      const language = [...readingLanguages, 'other' as const, null][Math.floor(random() * 5)] ?? null;
      const createdAt = now - random() * 10_000 * minuteMs;
      return { ventId: BigInt(n), answers: random() < 0.5 ? 0 : 1, createdAt, language };
    });
    const reads = readingLanguages.filter(() => random() < 0.6);
    const count = 1 + Math.floor(random() * 5);
    const drawn = drawWaiting(waiting, { reads, count, now, random });
    for (const queue of [0, 1] as const) {
      const fitting = waiting.filter(
        ({ answers, language }) =>
          answers === queue && (language === null || language === 'other' || reads.includes(language)),
      );
      const ids = new Set(drawn[queue]);
      expect(drawn[queue]).toHaveLength(Math.min(count + 7, fitting.length));
      expect(fitting.filter(({ ventId }) => ids.has(ventId))).toHaveLength(ids.size);
      expect(ids.size).toBe(drawn[queue].length);
    }
  }
});

test('no combination of parameters favours a vent over others of its age and language', () => {
  const { next: random } = seeded(13);
  const perLanguage = 10;
  const waiting = waitingOf(
    numbers(perLanguage * readingLanguages.length).map(() => 30),
    (n) => readingLanguages[n % 3] as ReadingLanguage,
  );
  const drawn = numbers(waiting.length).map(() => 0);
  const subsets = numbers(7).map((n) => readingLanguages.filter((_, bit) => (n + 1) & (1 << bit)));
  for (let n = 0; n < draws / 5; n += 1) {
    const asked = { reads: subsets[n % 7] ?? [], count: 1 + (Math.floor(n / 7) % 5) };
    for (const id of drawWaiting(waiting, { ...asked, now, random })[0].slice(0, asked.count))
      drawn[Number(id)]! += 1;
  }
  for (const language of readingLanguages.keys()) {
    const counts = numbers(perLanguage).map((n) => drawn[n * 3 + language] ?? 0);
    const mean = counts.reduce((sum, count) => sum + count, 0) / perLanguage;
    const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
    // p = 0.01 at 9 degrees of freedom.
    expect(chiSquare).toBeLessThan(21.67);
  }
});

test('ten listeners who draw at once get at least six of ten vents, in the mean of 100 rounds', () => {
  const { next: random } = seeded(17);
  const waiting = waitingOf(numbers(10).map(() => 5));
  const rounds = numbers(100).map(() => {
    const shown = numbers(10).map(
      () => drawWaiting(waiting, { reads: readingLanguages, count: 1, now, random })[0][0],
    );
    return new Set(shown).size;
  });
  expect(rounds.reduce((sum, one) => sum + one, 0) / rounds.length).toBeGreaterThanOrEqual(6);
});
