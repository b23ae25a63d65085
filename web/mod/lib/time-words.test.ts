import { describe, expect, it } from 'vitest';
import { countdownWords, dayAfter, dueWords, durationWords, exactTime, localTime } from './time-words.ts';

const now = Date.parse('2026-11-16T18:00:00Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

describe('time words', () => {
  it('a duration never promises more than is left', () => {
    expect(durationWords(59_999)).toBe('less than a minute');
    expect(durationWords(60_000)).toBe('1 min');
    expect(durationWords(3_599_999)).toBe('59 min');
    expect(durationWords(3_600_000)).toBe('1 h');
    expect(durationWords(3_600_000 + 5 * 60_000)).toBe('1 h 5 min');
    expect(durationWords(47.9 * 3_600_000)).toBe('47 h 54 min');
    expect(durationWords(71 * 3_600_000)).toBe('2 days');
  });

  it('what is overdue says so in words', () => {
    const due = (minutes: number) => dueWords({ dueAt: at(minutes), isOverdue: false, state: 'open' }, now);
    expect(due(90)).toEqual({ text: 'Due in 1 h 30 min', isOverdue: false });
    expect(due(0)).toEqual({ text: 'Due in less than a minute', isOverdue: false });
    // The list may be older than the moment.
    expect(due(-200)).toEqual({ text: 'Overdue by 3 h 20 min', isOverdue: true });
  });

  it('an appeal is due on a day', () => {
    const dueAt = '2026-11-16T00:00:00Z';
    const due = (isOverdue: boolean) => dueWords({ dueAt, isOverdue, state: 'appealed' }, now);
    expect(due(false)).toEqual({ text: 'Due on 16 Nov', isOverdue: false });
    expect(due(true)).toEqual({ text: 'Overdue', isOverdue: true });
  });

  it('a lease counts down to zero and no further', () => {
    expect(countdownWords(at(9.5), now)).toBe('9:30');
    expect(countdownWords(at(0.1), now)).toBe('0:06');
    expect(countdownWords(at(-1), now)).toBe('0:00');
  });

  it('when a case is due is said by the moderator’s own clock, with its zone', () => {
    const due = new Date(2026, 10, 16, 23, 30);
    expect(localTime(due.toISOString())).toMatch(/^16 Nov 2026, 23:30 \S+$/u);
  });

  it('records have the UTC clock, authors read the day in India', () => {
    expect(exactTime('2026-11-16T18:00:00Z')).toBe('16 Nov 2026, 18:00 UTC');
    expect(exactTime('2026-11-16')).toBe('16 Nov 2026');
    // 23:59 UTC is the next morning in India.
    expect(dayAfter(3, Date.parse('2026-11-16T23:59:00Z'))).toBe('20 Nov 2026');
  });
});
