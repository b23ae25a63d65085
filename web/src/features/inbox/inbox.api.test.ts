import { limits, listInbox, markInboxSeen, type InboxLine } from '@unsaid/contract';
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import { endSession, startSession } from '../../lib/session.ts';
import { testServer, type SentRequest } from '../../lib/testing.tsx';
import { getLiveCounts, setLiveCounts } from '../../lib/live.ts';
import { addReadComments } from '../../lib/read-comments.ts';
import { inboxQuery, markOpened, markVisited, withOpened, type Inbox } from './inbox.api.ts';

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
  {
    kind: 'replies',
    key: 'k4',
    isUnread: false,
    vent,
    count: 0,
    commentId: 'c9',
    day: '2026-11-14',
    isByAuthor: false,
  },
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
const fetchList = () => client.fetchQuery(inboxQuery(client, 'u1'));
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
  const inbox: Inbox = {
    lines,
    counts: { answers: 2, gifts: 0, matches: 0 },
    cursor: '',
    opened: new Set(),
    onBell: counts,
  };
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

const onBell = () => {
  const { answers, gifts, matches } = getLiveCounts();
  return { answers, gifts, matches };
};
const nothing = { answers: 0, gifts: 0, matches: 0 };

test('a visit of the inbox takes the number off the bell for good, and every line stays new', async () => {
  const requests = server();
  const inbox = await fetchList();
  expect(onBell()).toEqual(counts);
  await markVisited(client, 'u1', inbox);
  expect(onBell()).toEqual(nothing);
  expect(localStorage.getItem('unsaid.visited.u1')).toBe('cursor-2');
  expect(localStorage.getItem(stored)).toBe('cursor-1');
  expect([...(cached()?.opened ?? [])]).toEqual([]);
  // As after a reload: the list has the same lines, and the bell stays as it is.
  client = new QueryClient();
  await fetchList();
  expect(sentCursors(requests).at(-1)).toBe('cursor-1');
  expect(onBell()).toEqual(nothing);
  endSession('logout');
  expect(Object.keys(localStorage)).toEqual([]);
});

test('the request of a visit has one length, whatever is in the list', async () => {
  server();
  const inbox = await fetchList();
  const cursor = 'c'.repeat(3000);
  const many = Array.from({ length: limits.inboxLines }, () => ({
    ...(lines[0] as InboxLine),
    key: 'k'.repeat(22),
  }));
  for (const shown of [[], many]) await markVisited(client, 'u1', { ...inbox, cursor, lines: shown });
  const bodies = vi.mocked(fetch).mock.calls.map(([, init]) => init?.body);
  expect(bodies.filter((body) => typeof body === 'string').map(({ length }) => length)).toEqual([8192, 8192]);
});

test('a line that came after the visit and is opened at home leaves the bell, and is asked for once where nothing came', async () => {
  const requests = server();
  await markVisited(client, 'u1', await fetchList());
  await markOpened(client, 'u1', ['k3']);
  expect(requests).toHaveLength(3);
  setLiveCounts({ answers: 4 });
  await markOpened(client, 'u1', ['k1']);
  expect(onBell()).toEqual({ answers: 1, gifts: 0, matches: 0 });
  expect(sentCursors(requests).slice(-2)).toEqual(['cursor-3', 'cursor-2']);
  expect(localStorage.getItem('unsaid.visited.u1')).toBe('cursor-5');
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
