import { expect, test } from 'vitest';
import { countEmotions, markDays, type WeatherDay } from './weather-days.ts';

const days: WeatherDay[] = [
  { day: '2026-11-15', emotion: 'Sad', count: 1 },
  { day: '2026-11-15', emotion: 'Anxious', count: 2 },
  { day: '2026-11-01', emotion: 'Happy', count: 1 },
];

test('each of the 84 days has one mark, of its most frequent emotion', () => {
  const marks = markDays(days, Date.parse('2026-11-15T23:30:00Z'));
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
