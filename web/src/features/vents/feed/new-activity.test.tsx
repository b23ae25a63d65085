import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { endSession } from '../../../lib/session.ts';
import { renderSignedIn, testServer, type SentRequest } from '../../../lib/testing.tsx';
import { NewActivity } from './new-activity.tsx';

const nothing = { heart: 0, hug: 0, listen: 0, comments: 0 };
const key = 'unsaid.since.u1';
let scrollIntoView = () => undefined as void;

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
        tell([{ isIntersecting: false }]);
        scrollIntoView = () => tell([{ isIntersecting: true }]);
      }
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  return () => vi.unstubAllGlobals();
});

const server = (since: object) => {
  let count = 0;
  return testServer(() => ({ since, cursor: `cursor-${(count += 1)}` }));
};
const sent = (requests: SentRequest[]) => requests.map(({ query }) => query.get('cursor'));

test('the cursor is saved once the line was visible, and not before', async () => {
  localStorage.setItem(key, 'cursor-0');
  const requests = server({ ...nothing, hug: 2, comments: 1 });
  const first = renderSignedIn(<NewActivity />);
  const link = await screen.findByRole('link', { name: 'New for you: 1 comment, 2 hugs. See them' });
  expect(link.getAttribute('href')).toBe('/myvents');
  expect(localStorage.getItem(key)).toBe('cursor-0');
  first.unmount();

  // Not seen before leaving: the next visit asks about the same period again.
  renderSignedIn(<NewActivity />);
  await screen.findByText(/1 comment, 2 hugs/u);
  expect(sent(requests)).toEqual(['cursor-0', 'cursor-0']);
  act(() => scrollIntoView());
  expect(localStorage.getItem(key)).toBe('cursor-2');
});

test('the cursor is saved at once without activity, and fetched once a visit', async () => {
  const requests = server(nothing);
  const page = renderSignedIn(<NewActivity />);
  await expect.poll(() => localStorage.getItem(key)).toBe('cursor-1');
  expect(sent(requests)).toEqual([null]);
  page.show(null);
  page.show(<NewActivity />);
  window.dispatchEvent(new Event('focus'));
  document.dispatchEvent(new Event('visibilitychange'));
  await page.client.invalidateQueries({ queryKey: ['vents'] });
  expect(requests).toHaveLength(1);
});

test('the cursor stays when the call fails, and is removed at log-out', async () => {
  localStorage.setItem(key, 'cursor-0');
  const requests = testServer(() => new TypeError('away'));
  renderSignedIn(<NewActivity />);
  await expect.poll(() => requests.length).toBe(1);
  expect(localStorage.getItem(key)).toBe('cursor-0');
  endSession('logout');
  expect(localStorage.getItem(key)).toBeNull();
});
