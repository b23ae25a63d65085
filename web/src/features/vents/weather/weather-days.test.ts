import { expect, test } from 'vitest';
import { countEmotions, lighterMonth, markDays, spanOf, type WeatherDay } from './weather-days.ts';

const days: WeatherDay[] = [
  { day: '2026-11-15', emotion: 'Sad', count: 1 },
  { day: '2026-11-15', emotion: 'Anxious', count: 2 },
  { day: '2026-11-01', emotion: 'Happy', count: 1 },
];

const now = Date.parse('2026-11-15T23:30:00Z');

test('the first two weeks are one row of 14 days', () => {
  const fresh = days.slice(0, 2);
  expect(spanOf(fresh, now)).toEqual({ weeks: 2, days: 14, rows: 1 });
  expect(markDays(fresh, spanOf(fresh, now), now)).toHaveLength(14);
  expect(spanOf(days, now).weeks).toBe(12);
});

test('each of the 84 days has one mark, of its most frequent emotion', () => {
  const marks = markDays(days, spanOf(days, now), now);
  expect(marks).toHaveLength(84);
  expect(marks.at(-1)).toEqual({ daysAgo: 0, emotion: 'Anxious' });
  expect(marks.filter(({ emotion }) => emotion !== null).map(({ daysAgo }) => daysAgo)).toEqual([14, 0]);
});

test('the counts of emotions are sorted, the most frequent first', () => {
  expect(countEmotions(days)).toEqual([
    ['Anxious', 2],
    ['Happy', 1],
    ['Sad', 1],
  ]);
});

test('a month is called lighter where that is clear, and never heavier', () => {
  const vents = (month: string, ...feelings: [WeatherDay['emotion'], number][]) =>
    feelings.map(([emotion, count], n): WeatherDay => ({ day: `2026-${month}-0${n + 1}`, emotion, count }));
  const heavy = vents('10', ['Sad', 4], ['Anxious', 2]);
  const lighter = vents('11', ['Happy', 1], ['Sad', 2]);
  expect(lighterMonth([...lighter, ...heavy])).toBe(10);
  expect(lighterMonth([...vents('09', ['Happy', 4]), ...vents('10', ['Sad', 9])])).toBeUndefined();
  // Two vents are no month.
  expect(lighterMonth([...vents('11', ['Happy', 2]), ...heavy])).toBeUndefined();
  expect(lighterMonth(lighter)).toBeUndefined();
  expect(lighterMonth([])).toBeUndefined();
});
