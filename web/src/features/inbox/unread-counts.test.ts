import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { usePageTitle } from '../../lib/neutral-tab.ts';
import { endSession, startSession } from '../../lib/session.ts';
import { useUnread } from '../../lib/unread.ts';
import { isQuiet, quietHours } from '../../lib/quiet-hours.ts';
import { setCounted } from './bell-settings.ts';
import { setCounts, startCounts } from './unread-counts.ts';

const counts = { answers: 2, gifts: 3, matches: 1, isOnOwnVents: true };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 10, 15, 21, 59, 50) });
  localStorage.clear();
  const stop = startCounts();
  return () => {
    act(stop);
    vi.useRealTimers();
  };
});

const read = () => renderHook(useUnread).result;

test('quiet hours may span midnight; without any, no time is quiet', () => {
  expect(['21:59', '22:00', '03:00', '06:59', '07:00'].map((time) => isQuiet('22:00-07:00', time))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect(['00:59', '01:00', '05:00'].map((time) => isQuiet('01:00-05:00', time))).toEqual([
    false,
    true,
    false,
  ]);
  expect(['00:00', '12:00'].map((time) => isQuiet('', time))).toEqual([false, false]);
});

test('the bell counts what the settings let it count, and says "99+" from the limit on', () => {
  const shown = read();
  act(() => setCounts(counts));
  expect(shown.current).toEqual({ total: 6, text: '6', isOnOwnVents: true, isOnMatches: true });
  act(() => setCounted('matches', false));
  expect(shown.current).toMatchObject({ total: 5, isOnMatches: false });
  act(() => setCounted('answers', false));
  act(() => setCounted('gifts', false));
  expect(shown.current).toMatchObject({ total: 0, isOnOwnVents: false });
  act(() => setCounted('answers', true));
  act(() => setCounts({ ...counts, answers: 99 }));
  expect(shown.current.text).toBe('99+');
});

test('quiet hours begin and end by themselves, for the bell and the title', () => {
  const shown = read();
  renderHook(() => usePageTitle('Vents'));
  act(() => setCounts(counts));
  act(() => quietHours.set('22:00-22:01'));
  expect(document.title).toBe('(6) Vents · Unsaid');
  act(() => void vi.advanceTimersByTime(30_000));
  expect(shown.current.total).toBe(0);
  expect(document.title).toBe('Vents · Unsaid');
  act(() => void vi.advanceTimersByTime(60_000));
  expect(shown.current.total).toBe(6);
});

test('a stored setting that makes no sense counts as none, and log-out deletes the settings', () => {
  startSession('uns_test', 'u1');
  localStorage.setItem('unsaid.quiet', '25:00-99:99');
  expect(quietHours.get()).toBe('');
  setCounted('gifts', false);
  quietHours.set('22:00-07:00');
  endSession('logout');
  expect(Object.keys(localStorage)).toEqual([]);
});
