import { logout } from '@unsaid/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { pendingSends } from '../lib/pending-sends.ts';
import { getSession, startSession } from '../lib/session.ts';
import { testServer } from '../lib/testing.tsx';
import { logOut } from './log-out.ts';

afterEach(() => {
  pendingSends.clear();
  vi.useRealTimers();
});

const nextTask = () => new Promise((done) => setTimeout(done));

/** Logs out while something is being sent. Returns the requests so far. */
async function logOutWhileSending() {
  const requests = testServer(() => ({}));
  startSession('token', 'u1');
  let respond = () => undefined as void;
  pendingSends.add(() => new Promise<void>((done) => (respond = done)));
  void logOut();
  expect(getSession().isSignedIn).toBe(false);
  expect(Object.keys(localStorage)).toEqual([]);
  await nextTask();
  expect(requests).toEqual([]);
  return { requests, respond };
}

test('the server is told of the log-out after it has what could be undone, with the token of then', async () => {
  const { requests, respond } = await logOutWhileSending();
  respond();
  await expect.poll(() => requests.map(({ path }) => path)).toEqual([logout.path]);
  const [, init] = vi.mocked(fetch).mock.calls[0] ?? [];
  expect(new Headers(init?.headers).get('authorization')).toBe('Bearer token');
});

test('the server is told at once when the page closes meanwhile', async () => {
  const { requests } = await logOutWhileSending();
  window.dispatchEvent(new Event('pagehide'));
  await expect.poll(() => requests.length).toBe(1);
});

test('with nothing to send, the server is told at once', () => {
  const requests = testServer(() => ({}));
  startSession('token', 'u1');
  void logOut();
  expect(requests).toHaveLength(1);
});
