import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { endSession } from '../../lib/session.ts';
import { renderSignedIn, testServer, type Asked } from '../../lib/testing.tsx';
import { SinceLine } from './since-line.tsx';

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
const sent = (asked: Asked[]) => asked.map(({ query }) => query.get('cursor'));

it('keeps the new cursor once the line was seen, and not before', async () => {
  localStorage.setItem(key, 'cursor-0');
  const asked = server({ ...nothing, hug: 2, comments: 1 });
  const first = renderSignedIn(<SinceLine />);
  await screen.findByText('Since you were here, your vents were given 2 hugs and 1 comment.');
  expect(localStorage.getItem(key)).toBe('cursor-0');
  first.unmount();

  // Left without having seen it: the next visit asks about the same time again.
  renderSignedIn(<SinceLine />);
  await screen.findByText(/2 hugs and 1 comment/u);
  expect(sent(asked)).toEqual(['cursor-0', 'cursor-0']);
  act(() => scrollIntoView());
  expect(localStorage.getItem(key)).toBe('cursor-2');
});

it('keeps it at once where there is nothing to tell, and asks only once a visit', async () => {
  const asked = server(nothing);
  const page = renderSignedIn(<SinceLine />);
  await expect.poll(() => localStorage.getItem(key)).toBe('cursor-1');
  expect(sent(asked)).toEqual([null]);
  page.show(null);
  page.show(<SinceLine />);
  window.dispatchEvent(new Event('focus'));
  document.dispatchEvent(new Event('visibilitychange'));
  await page.client.invalidateQueries({ queryKey: ['vents'] });
  expect(asked).toHaveLength(1);
});

it('keeps the old cursor when the call fails, and goes at log-out', async () => {
  localStorage.setItem(key, 'cursor-0');
  const asked = testServer(() => new TypeError('away'));
  renderSignedIn(<SinceLine />);
  await expect.poll(() => asked.length).toBe(1);
  expect(localStorage.getItem(key)).toBe('cursor-0');
  endSession('logout');
  expect(localStorage.getItem(key)).toBeNull();
});
