import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setLiveCounts } from '../../lib/live.ts';
import { setNeutralTab, usePageTitle } from '../../lib/neutral-tab.ts';
import { endSession } from '../../lib/session.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { useUnread } from '../../lib/unread.ts';
import { InboxSync } from './inbox-sync.tsx';

const setAppBadge = vi.fn(async () => undefined);
const clearAppBadge = vi.fn(async () => undefined);

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('unsaid.inbox.u1', 'cursor-0');
  setAppBadge.mockClear();
  clearAppBadge.mockClear();
  Object.assign(navigator, { setAppBadge, clearAppBadge });
  return () => act(() => endSession('logout'));
});

const serve = () =>
  testServer(() => ({ lines: [], counts: { answers: 0, gifts: 0, matches: 0 }, cursor: 'cursor-1' }));

test('a tick changes the badge of the installed application and causes no request; neutral tab and log-out clear it', async () => {
  const requests = serve();
  const page = renderSignedIn(<InboxSync />);
  act(() => setLiveCounts({ answers: 2, matches: 1 }));
  expect(setAppBadge.mock.calls).toEqual([[3]]);
  act(() => setNeutralTab(true));
  expect(clearAppBadge).toHaveBeenCalledOnce();
  act(() => setNeutralTab(false));
  expect(setAppBadge).toHaveBeenCalledTimes(2);
  page.unmount();
  expect(clearAppBadge).toHaveBeenCalledTimes(2);
  expect(requests).toEqual([]);
});

test('bell and title count all kinds, say "99+" from the limit on, and count nothing after log-out', () => {
  serve();
  renderSignedIn(<InboxSync />);
  const { result } = renderHook(useUnread);
  renderHook(() => usePageTitle('Vents'));
  act(() => setLiveCounts({ answers: 2, gifts: 3, matches: 1 }));
  expect(result.current).toEqual({ total: 6, text: '6', isOnOwnVents: true, isOnMatches: true });
  expect(document.title).toBe('(6) Vents · Unsaid');
  act(() => setLiveCounts({ answers: 99, gifts: 1, matches: 0 }));
  expect(result.current).toMatchObject({ total: 100, text: '99+', isOnMatches: false });
  act(() => endSession('logout'));
  expect(result.current.total).toBe(0);
  expect(document.title).toBe('Vents · Unsaid');
});

test('without a cursor the list is fetched once, so that reactions count from now on', async () => {
  localStorage.removeItem('unsaid.inbox.u1');
  const requests = serve();
  renderSignedIn(<InboxSync />);
  await expect.poll(() => localStorage.getItem('unsaid.inbox.u1')).toBe('cursor-1');
  expect(requests).toHaveLength(1);
});
