import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { endSession, startSession } from '../../lib/session.ts';
import { testServer } from '../../lib/testing.tsx';
import * as toasts from '../../ui/toast.tsx';
import { createAnswerQueue } from './answer-queue.ts';

const match = {
  id: 'm1',
  other: { id: 'them', name: 'slow_monsoon', picture: '/avatars/them.svg' },
  score: 0.85,
  hasTheirYes: false,
};

afterEach(() => endSession('logout'));

test.each([
  ['accepted', () => ({})],
  ['lost', () => new TypeError('away')],
])('an answer sent at log-out and %s is not told to the next person', async (_, respond) => {
  const told = vi.spyOn(toasts, 'toast');
  const requests = testServer(({ path }) => (path.endsWith('/history') ? { history: [] } : respond()));
  startSession('token', 'u1');
  const queue = createAnswerQueue(new QueryClient());
  queue.answer(match, 'withdraw');
  void queue.flush();
  endSession('logout');
  startSession('another', 'u2');
  await new Promise((done) => setTimeout(done, 20));
  expect(requests).toHaveLength(1);
  expect(told).not.toHaveBeenCalled();
});

test('a message names its person: the card in view may be that of another by then', async () => {
  const told = vi.spyOn(toasts, 'toast');
  testServer(({ path }) => (path.endsWith('/history') ? { history: [] } : {}));
  startSession('token', 'u1');
  const queue = createAnswerQueue(new QueryClient());
  const second = { ...match, id: 'm2', other: { ...match.other, name: 'mossy_hill' } };
  queue.answer(match, 'accept');
  queue.answer(second, 'reject');
  await queue.flush();
  await expect.poll(() => told.mock.calls.length).toBe(2);
  expect(told.mock.calls.flat().toSorted()).toEqual([
    'Match accepted! You said yes to slow_monsoon.',
    'Match rejected: mossy_hill',
  ]);
});
