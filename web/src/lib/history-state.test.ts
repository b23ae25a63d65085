import { afterEach, expect, test } from 'vitest';
import { readHistoryState, toHistoryState } from './history-state.ts';
import { endSession, startSession } from './session.ts';

afterEach(() => endSession('logout'));

test('an entry shows what belongs to an account to that account alone, and the rest to everybody', () => {
  startSession('one', 'u1');
  const state = toHistoryState({ typed: 'my secret', commentId: 'c1', scrollsToList: true });
  expect(JSON.stringify(state)).not.toContain('u1');
  expect(readHistoryState(state)).toEqual({ typed: 'my secret', commentId: 'c1', scrollsToList: true });
  endSession('logout');
  expect(readHistoryState(state)).toEqual({ scrollsToList: true });
  startSession('two', 'u2');
  expect(readHistoryState(state)).toEqual({ scrollsToList: true });
});

test('an entry with nothing of an account has no mark of it', () => {
  startSession('one', 'u1');
  expect(toHistoryState({ returnTo: '/vent/abc', step: 'code' })).toEqual({
    returnTo: '/vent/abc',
    step: 'code',
  });
});

test('what is malformed or unknown is left out', () => {
  for (const state of [null, undefined, 7, 'x', { returnTo: 7, step: 7, isFromFeed: 1, typed: {}, else: 1 }])
    expect(readHistoryState(state)).toEqual({});
});
