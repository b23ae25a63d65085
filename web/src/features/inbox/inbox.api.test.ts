import { listInbox, markInboxSeen, type InboxLine } from '@unsaid/contract';
import { QueryClient } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { endSession, startSession } from '../../lib/session.ts';
import { testServer, type SentRequest } from '../../lib/testing.tsx';
import { addReadComments } from '../../lib/read-comments.ts';
import { glance, inboxQuery, markOpened, useUnglanced, withOpened, type Inbox } from './inbox.api.ts';

const stored = 'unsaid.inbox.u1';
const vent = { _id: 'v1', title: 'Awake' };

const lines: readonly InboxLine[] = [
  { kind: 'comments', key: 'k1', isUnread: true, vent, count: 3, commentId: 'c1', day: '2026-11-15' },
  {
    kind: 'reactions',
    key: 'k2',
    isUnread: true,
    vent,
    reactions: { heart: 1, hug: 2, listen: 0 },
    day: null,
  },
  {
    kind: 'said_yes',
    key: 'k3',
    isUnread: true,
    matchId: 'm1',
    with: { _id: 'u2', username: 'riya', profilePic: '/avatars/x.svg' },
    day: null,
  },
  { kind: 'replies', key: 'k4', isUnread: false, vent, count: 0, commentId: 'c9', day: '2026-11-14' },
];
const counts = { answers: 3, gifts: 3, matches: 1 };

const isList = ({ path }: SentRequest) => path === listInbox.path;

/** A server that numbers its cursors. `meanwhile` runs before the first response. */
function server(meanwhile: (request: SentRequest) => void = () => undefined): SentRequest[] {
  let made = 0;
  return testServer((request) => {
    made += 1;
    if (made === 1) meanwhile(request);
    const cursor = `cursor-${made}`;
    return isList(request) ? { lines, counts, cursor } : { cursor };
  });
}

const sentCursors = (requests: SentRequest[]) =>
  requests.map(({ query, body }) => query.get('cursor') ?? (body as { cursor?: string } | undefined)?.cursor);

let client = new QueryClient();
const fetchList = (options = {}) => client.fetchQuery(inboxQuery(client, 'u1', options));
const cached = () => client.getQueryData<Inbox>(['inbox', 'u1']);

beforeEach(() => {
  localStorage.clear();
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  startSession('uns_test', 'u1');
});

test('the first list stores its cursor, and the next one sends it', async () => {
  const requests = server();
  await fetchList();
  expect(localStorage.getItem(stored)).toBe('cursor-1');
  await fetchList();
  expect(sentCursors(requests)).toEqual([undefined, 'cursor-1']);
});

test('a list whose cursor another tab has passed meanwhile is fetched again, and stores only the later one', async () => {
  localStorage.setItem(stored, 'old');
  const requests = server(() => localStorage.setItem(stored, 'of-another-tab'));
  await fetchList();
  expect(sentCursors(requests)).toEqual(['old', 'of-another-tab']);
  expect(localStorage.getItem(stored)).toBe('cursor-2');
});

test('a tab that follows another one stores nothing, so that the two do not answer each other for ever', async () => {
  localStorage.setItem(stored, 'old');
  server();
  await fetchList({ storesCursor: false });
  expect(localStorage.getItem(stored)).toBe('old');
});

test('a response after log-out stores nothing', async () => {
  localStorage.setItem(stored, 'old');
  server(() => endSession('logout'));
  await fetchList().catch(() => undefined);
  expect(localStorage.getItem(stored)).toBeNull();
});

test('a mark is added to the cursor that another tab stored meanwhile, and is not lost', async () => {
  localStorage.setItem(stored, 'old');
  const requests = server(() => localStorage.setItem(stored, 'of-another-tab'));
  await markOpened(client, 'u1', ['k1']);
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [markInboxSeen.path, { cursor: 'old', shown: ['k1'] }],
    [markInboxSeen.path, { cursor: 'of-another-tab', shown: ['k1'] }],
  ]);
  expect(localStorage.getItem(stored)).toBe('cursor-2');
});

test('without storage, the cursor of this page is used', async () => {
  const requests = server();
  await fetchList();
  localStorage.removeItem(stored);
  await markOpened(client, 'u1', ['k1']);
  expect(sentCursors(requests)).toEqual([undefined, 'cursor-1']);
});

test('opened lines leave the counts by what they weigh, each once, and keep their place', async () => {
  server();
  await fetchList();
  await markOpened(client, 'u1', ['k1', 'k4']);
  expect(cached()?.counts).toEqual({ answers: 0, gifts: 3, matches: 1 });
  await markOpened(client, 'u1', ['k1', 'k2', 'unknown']);
  expect(cached()?.counts).toEqual({ answers: 0, gifts: 0, matches: 1 });
  expect(cached()?.lines).toEqual(lines);
  expect([...(cached()?.opened ?? [])]).toEqual(['k1', 'k2']);
});

test('counts never go below zero, where the server stopped to count', () => {
  const inbox: Inbox = { lines, counts: { answers: 2, gifts: 0, matches: 0 }, cursor: '', opened: new Set() };
  expect(withOpened(inbox, ['k1', 'k2', 'k3']).counts).toEqual({ answers: 0, gifts: 0, matches: 0 });
});

test('lines of a kind that this release does not know are left out', async () => {
  testServer(() => ({
    lines: [{ kind: 'message', key: 'k', isUnread: true }, ...lines],
    counts,
    cursor: 'c',
  }));
  expect((await fetchList()).lines).toEqual(lines);
});

const onBell = () => renderHook(() => useUnglanced(counts)).result.current;

test('lines on screen leave the bell and stay new, until more comes to them', async () => {
  let count = 3;
  const now = () => ({ answers: count, gifts: 3, matches: 1 });
  testServer(() => ({
    lines: lines.map((line) => (line.kind === 'comments' ? { ...line, count } : line)),
    counts: now(),
    cursor: 'c',
  }));
  const { lines: shown } = await fetchList();
  glance(shown.filter(({ isUnread }) => isUnread));
  expect(onBell()).toEqual({ answers: 0, gifts: 0, matches: 0 });
  expect([...(cached()?.opened ?? [])]).toEqual([]);
  count = 5;
  await fetchList();
  expect(renderHook(() => useUnglanced(now())).result.current).toEqual({ answers: 2, gifts: 0, matches: 0 });
});

test('a line that was opened, or is gone, takes nothing off the bell any more', async () => {
  server();
  const { lines: shown } = await fetchList();
  glance(shown.filter(({ key }) => key === 'k1' || key === 'k3'));
  await markOpened(client, 'u1', ['k1']);
  expect(onBell()).toEqual({ answers: 3, gifts: 3, matches: 0 });
  testServer(() => ({ lines: [], counts, cursor: 'c' }));
  await fetchList();
  expect(onBell()).toEqual(counts);
});

test('what was read on the vent itself is marked with the next list, and only if its first new comment was on screen', async () => {
  localStorage.setItem(stored, 'old');
  const requests = server();
  addReadComments('v1', ['c0']);
  await fetchList();
  expect(requests).toHaveLength(1);
  addReadComments('v1', ['c1', 'c9']);
  // The vent was opened: nothing is sent then.
  expect(requests).toHaveLength(1);
  await fetchList();
  expect(requests.map(({ path, body }) => [path, body]).slice(1)).toEqual([
    [listInbox.path, undefined],
    [markInboxSeen.path, { cursor: 'cursor-2', shown: ['k1'] }],
  ]);
  expect(localStorage.getItem(stored)).toBe('cursor-3');
  expect(cached()?.counts).toEqual({ answers: 0, gifts: 3, matches: 1 });
});
