import { beforeEach, expect, test } from 'vitest';
import { allDrafts } from '../lib/drafts.ts';
import { endSession, startSession } from '../lib/session.ts';
import { createSessionStore, createStore, sessionStores } from '../lib/store.ts';

/**
 * Stores and drafts register themselves when they are made, and lint refuses any other state in a feature
 * (`unsaid/no-module-state`). So these tests know all of them without a list.
 */
const load = import.meta.glob(['../{app,features,lib,ui}/**/*.{ts,tsx}', '!../**/*.{test,worker}.*']);
const sources = import.meta.glob<string>(['../{app,features,lib,ui}/**/*.{ts,tsx}', '!../**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** How often the product calls a function that makes something. */
const countCalls = (pattern: RegExp) => Object.values(sources).join('\n').match(pattern)?.length ?? 0;

beforeEach(() => localStorage.clear());

/** Fills every store and draft, and counts those that still hold it for the next person. */
function countLeft(end: () => void): number {
  startSession('one', 'u1');
  const filled = { of: 'the first person' };
  for (const { store } of sessionStores) store.set(filled);
  for (const drafts of allDrafts) drafts.save('u1', { text: 'mine' });
  end();
  const stores = [...sessionStores].filter(({ store, initial }) => store.get() !== initial);
  const drafts = [...allDrafts].filter(({ read }) => read('u1') !== undefined);
  return stores.length + drafts.length;
}

const logOut = () => endSession('logout');

test('no store and no draft of the app holds anything after log-out', async () => {
  await Promise.all(Object.values(load).map((importModule) => importModule()));
  // All but the one inside `createSessionMap`.
  const made = countCalls(/ = createSession(?:Store|Map)[<(]/gu) - 1;
  expect(sessionStores.size).toBe(made);
  expect(allDrafts.size).toBe(countCalls(/ = createDraft\(/gu));
  expect(made).toBeGreaterThan(5);
  expect(countLeft(logOut)).toBe(0);
  expect(countLeft(() => undefined)).toBe(sessionStores.size + allDrafts.size);
});

test('neither does one for the account that signs in next, here or in another tab', () => {
  expect(countLeft(() => startSession('two', 'u2'))).toBe(0);
  expect(
    countLeft(() => {
      localStorage.removeItem('unsaid.token');
      window.dispatchEvent(Object.assign(new Event('storage'), { key: 'unsaid.token', newValue: null }));
      startSession('two', 'u2');
    }),
  ).toBe(0);
});

test('a planted store that does not wipe itself is found', () => {
  const store = createStore<unknown>(null);
  const set = (value: unknown) => void (value && store.set(value));
  const planted = { initial: null, store: { ...store, set } };
  sessionStores.add(planted);
  expect(countLeft(logOut)).toBe(1);
  sessionStores.delete(planted);
  // @ts-expect-error A set that is changed in place would be its own initial value.
  void (() => createSessionStore(new Set<string>()));
});
