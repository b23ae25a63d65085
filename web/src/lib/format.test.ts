import { expect, it } from 'vitest';
import { formatAgo, formatDay, formatFull, formatWait } from './format.ts';

it('rounds a wait up, in the largest unit that still says something', () => {
  expect(formatWait(1)).toBe('1 second');
  expect(formatWait(61)).toBe('61 seconds');
  expect(formatWait(121)).toBe('3 minutes');
  expect(formatWait(7201)).toBe('3 hours');
});

it('says today and yesterday, and dates before that', () => {
  const now = new Date('2026-11-15T01:00:00Z');
  expect(formatDay('2026-11-15', now)).toBe('today');
  expect(formatDay('2026-11-14', now)).toBe('yesterday');
  expect(formatDay('2026-11-01', now)).toBe('1 Nov 2026');
});

it('says how long ago, coarser the longer it is', () => {
  const now = Date.parse('2026-11-15T12:00:30Z');
  expect(formatAgo('2026-11-15T12:00:00Z', now)).toBe('just now');
  // A clock that runs behind must not speak of the future.
  expect(formatAgo('2026-11-15T12:03:00Z', now)).toBe('just now');
  expect(formatAgo('2026-11-15T11:55:00Z', now)).toBe('5 min ago');
  expect(formatAgo('2026-11-15T09:00:00Z', now)).toBe('3 hr ago');
  expect(formatAgo('2026-11-13T09:00:00Z', now)).toBe('2 days ago');
  expect(formatAgo('2026-11-01T09:00:00Z', now)).toBe('1 Nov 2026');
});

it('puts the day before the month, as it is read in India', () => {
  expect(formatFull('2026-11-01T09:00:00Z')).toMatch(/^1 Nov 2026, /u);
});
