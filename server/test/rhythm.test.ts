import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawWaitMs, usuallyWithinHours, waitsFrom, type Rhythm } from '../src/content/held/rhythm.ts';

const [minute, hour] = [60_000, 3_600_000];
const now = Date.UTC(2026, 10, 19, 21, 17);
const even = (perHour: number): Rhythm => Array.from({ length: 24 }, () => perHour);
const draws = (rhythm: Rhythm, count = 400) =>
  Array.from({ length: count }, (_, n) => drawWaitMs(rhythm, now, halton(n)));
/** Two even numbers for each draw, spread over the square. */
const halton = (n: number) => {
  const radical = (base: number) => {
    let [rest, part, sum] = [n + 1, 1 / base, 0];
    for (; rest > 0; rest = Math.floor(rest / base), part /= base) sum += (rest % base) * part;
    return sum;
  };
  const values = [radical(2), radical(3)];
  return () => values.shift() ?? 0;
};
const shareBelow = (waits: readonly number[], ms: number) =>
  waits.filter((wait) => wait < ms).length / waits.length;

describe('the wait of a held vent', () => {
  test('is 5 to 60 minutes where more than 40 vents come within five, or none at all', () => {
    for (const perHour of [600, 0]) {
      const waits = draws(even(perHour));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(5 * minute);
      expect(Math.max(...waits)).toBeLessThanOrEqual(60 * minute);
      expect(shareBelow(waits, 32.5 * minute)).toBeCloseTo(0.5, 1);
    }
  });

  test('ends at any of the next 40 vents, each as likely', () => {
    const waits = draws(even(4));
    // The 40th comes after ten hours.
    expect(Math.max(...waits)).toBeLessThanOrEqual(10 * hour);
    for (const place of [10, 20, 30])
      expect(shareBelow(waits, (place / 4) * hour)).toBeCloseTo(place / 40, 1);
  });

  test('follows the hours of the day: where nobody writes at night, no place is there', () => {
    // From 6 to 17 UTC nobody writes. It is 21:17.
    const rhythm = even(0).map((_, at) => (at >= 6 && at < 18 ? 0 : 2));
    const [from, to] = [(6 - 21.28 + 24) * hour, (18 - 21.28 + 24) * hour];
    expect(draws(rhythm).filter((wait) => wait > from + minute && wait < to)).toEqual([]);
  });

  test('is two days at most, and no more end there than anywhere else', () => {
    const waits = draws(even(1 / 7));
    expect(Math.max(...waits)).toBeLessThanOrEqual(48 * hour);
    expect(shareBelow(waits, 24 * hour)).toBeCloseTo(0.5, 1);
    expect(1 - shareBelow(waits, 47 * hour)).toBeLessThan(0.05);
  });

  test('is always one of those that somebody who knows the rule guesses among', () => {
    const rhythms = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 24, maxLength: 24 });
    const random = fc.double({ min: 0, max: 0.999_999, noNaN: true });
    fc.assert(
      fc.property(rhythms, fc.integer({ min: 0, max: 7 * 24 * hour }), random, random, (rhythm, at, a, b) => {
        const values = [a, b];
        const wait = drawWaitMs(rhythm, at, () => values.shift() ?? 0);
        const { least, most } = waitsFrom(rhythm, at);
        return wait >= Math.floor(least) && wait <= Math.ceil(most) && most <= 48 * hour;
      }),
    );
  });
});

describe('the hours within which a held vent usually goes out', () => {
  test.each([
    [600, 1],
    [14, 3],
    [7, 6],
    [4, 12],
    [2, 24],
    [1, 48],
    [0.01, 48],
    [0, 1],
  ])('with %s vents an hour: %s', (perHour, hours) => {
    expect(usuallyWithinHours(even(perHour), now)).toBe(hours);
  });

  test('are the same in all of an hour', () => {
    const rhythm = even(0).map((_, at) => at);
    const start = Math.floor(now / hour) * hour;
    const said = [0, 1, 30, 59].map((minutes) => usuallyWithinHours(rhythm, start + minutes * minute));
    expect(new Set(said).size).toBe(1);
  });
});
