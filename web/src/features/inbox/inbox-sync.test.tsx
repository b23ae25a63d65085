import { listInbox } from '@unsaid/contract';
import { act } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setLiveCounts } from '../../lib/live.ts';
import { setNeutralTab } from '../../lib/neutral-tab.ts';
import { endSession } from '../../lib/session.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
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

const changeInOtherTab = (key: string, newValue: string | null) =>
  window.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));

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

test('a tab with a number follows what is read in another tab, and stores nothing', async () => {
  const requests = serve();
  renderSignedIn(<InboxSync />);
  // Without a number there is nothing to take down.
  changeInOtherTab('unsaid.inbox.u1', 'cursor-of-other');
  act(() => setLiveCounts({ answers: 2 }));
  changeInOtherTab('unsaid.inbox.u2', 'of-another-account');
  changeInOtherTab('unsaid.inbox.u1', null);
  expect(requests).toEqual([]);
  changeInOtherTab('unsaid.inbox.u1', 'cursor-of-other');
  await expect.poll(() => requests.map(({ path }) => path)).toEqual([listInbox.path]);
  await expect.poll(() => clearAppBadge.mock.calls.length).toBe(1);
  expect(localStorage.getItem('unsaid.inbox.u1')).toBe('cursor-0');
});

test('without a cursor the list is fetched once, so that reactions count from now on', async () => {
  localStorage.removeItem('unsaid.inbox.u1');
  const requests = serve();
  renderSignedIn(<InboxSync />);
  await expect.poll(() => localStorage.getItem('unsaid.inbox.u1')).toBe('cursor-1');
  expect(requests).toHaveLength(1);
});
