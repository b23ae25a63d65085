import { inboxKinds, listInbox, markInboxSeen, type InboxCounts, type InboxLine } from '@unsaid/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import {
  readInboxCursor,
  readVisitCursor,
  replaceInboxCursor,
  saveVisitCursor,
} from '../../lib/inbox-cursor.ts';
import { getLiveCounts, seen, setLiveCounts, useLiveCounts } from '../../lib/live.ts';
import { getReadComments } from '../../lib/read-comments.ts';
import { getAccountId } from '../../lib/session.ts';

export interface Inbox {
  readonly lines: readonly InboxLine[];
  readonly counts: InboxCounts;
  /** Of the response: for a browser that stores nothing. */
  readonly cursor: string;
  /** Keys of lines that were unread when they came, and were opened since. */
  readonly opened: ReadonlySet<string>;
  /** What the bell counted then. */
  readonly onBell: InboxCounts;
}

const none: InboxCounts = { answers: 0, gifts: 0, matches: 0 };

const inboxKey = (accountId: string) => ['inbox', accountId] as const;

/** A response can cross a mark of this tab or another one. Then the list is fetched again with the new cursor. */
const maxTries = 3;

function cursorOf(client: QueryClient, accountId: string): string | undefined {
  return readInboxCursor(accountId) ?? client.getQueryData<Inbox>(inboxKey(accountId))?.cursor;
}

/**
 * Where the counts of the bell stand after a list. Before the first visit of the inbox they are those of the list;
 * later they begin at that visit, and the live connection has them. Not after a log-out.
 */
function countFrom(accountId: string, { counts, cursor }: Pick<Inbox, 'counts' | 'cursor'>): InboxCounts {
  if (getAccountId() === accountId && readVisitCursor(accountId) === undefined) {
    setLiveCounts(counts);
    seen(cursor);
  }
  return getLiveCounts();
}

/** The list. Fetching it marks nothing as opened. */
export function inboxQuery(client: QueryClient, accountId: string) {
  return queryOptions({
    queryKey: inboxKey(accountId),
    queryFn: async ({ signal }): Promise<Inbox> => {
      for (let tries = 1; ; tries += 1) {
        const stored = readInboxCursor(accountId);
        const response = await apiCall(listInbox, { query: { cursor: cursorOf(client, accountId) }, signal });
        const { cursor, read } = await markRead(accountId, response);
        const isCurrent = replaceInboxCursor(accountId, stored, cursor);
        if (!isCurrent && tries < maxTries && getAccountId() === accountId) continue;
        // A newer server may send kinds that this release does not know.
        const lines = response.lines.filter(({ kind }) => inboxKinds.includes(kind));
        const listed = { lines, counts: response.counts, cursor, opened: new Set<string>(), onBell: none };
        const inbox = withOpened(listed, read);
        return { ...inbox, onBell: countFrom(accountId, inbox) };
      }
    },
    gcTime: Infinity,
  });
}

/**
 * Marks what was read on a vent's own page since the last list. Now, and not when the vent was opened: a request then would
 * tell who watches the network that the vent concerns the reader.
 */
async function markRead(accountId: string, { lines, cursor }: Pick<Inbox, 'lines' | 'cursor'>) {
  const readLines = lines.filter((line) => line.isUnread && wasRead(line));
  const read = readLines.map(({ key }) => key);
  if (read.length === 0) return { cursor, read };
  try {
    const marked = await apiCall(markInboxSeen, { body: { cursor, shown: read } });
    await leaveBell(accountId, readLines).catch(() => undefined);
    return { cursor: marked.cursor, read };
  } catch {
    return { cursor, read };
  }
}

/** Whether the first of its new comments was on screen. */
function wasRead(line: InboxLine): boolean {
  return 'count' in line && getReadComments().get(line.vent._id)?.has(line.commentId) === true;
}

/** For what shows the list: opening it always shows what there is now. */
export function useInbox(client: QueryClient, accountId: string) {
  return useQuery({ ...inboxQuery(client, accountId), refetchOnMount: 'always' });
}

/** Whether a line is unread, and was not opened since it came. */
export function isNew({ opened }: Pick<Inbox, 'opened'>, { key, isUnread }: InboxLine): boolean {
  return isUnread && !opened.has(key);
}

/** The same in every response, unlike the key. */
export function identityOf(line: InboxLine): string {
  if (line.kind === 'notice') return line.noticeId;
  if (line.kind === 'account') return line.event + line.day;
  if (line.kind === 'thanks') return line.commentId;
  return line.kind + ('vent' in line ? line.vent._id : line.matchId);
}

/** Whether more came than the list has. A tick causes no request: the reader asks for the rest. */
export function useHasMore(inbox: Pick<Inbox, 'onBell'> | undefined): boolean {
  const live = useLiveCounts();
  const { onBell } = inbox ?? { onBell: none };
  return countKinds.some((kind) => live[kind] > onBell[kind]);
}

/** How much of the counts a line is. */
function weightOf(line: InboxLine): InboxCounts {
  if (line.kind === 'said_yes' || line.kind === 'both_said_yes') return { ...none, matches: 1 };
  if (line.kind === 'notice' || line.kind === 'account') return none;
  if (line.kind === 'thanks') return { ...none, gifts: 1 };
  if (line.kind !== 'reactions') return { ...none, answers: line.count };
  const { heart, hug, listen } = line.reactions;
  return { ...none, gifts: heart + hug + listen };
}

const countKinds = ['answers', 'gifts', 'matches'] as const;

function subtract(from: InboxCounts, other: InboxCounts): InboxCounts {
  const left = { ...from };
  for (const kind of countKinds) left[kind] = Math.max(0, from[kind] - other[kind]);
  return left;
}

/** The inbox after lines were opened. */
export function withOpened(inbox: Inbox, keys: readonly string[]): Inbox {
  const opened = new Set(inbox.opened);
  let { counts } = inbox;
  for (const line of inbox.lines) {
    if (!isNew(inbox, line) || !keys.includes(line.key)) continue;
    opened.add(line.key);
    counts = subtract(counts, weightOf(line));
  }
  return { ...inbox, counts, opened };
}

/** Marks lines as opened. If it fails, they are unread at the next visit. */
export async function markOpened(
  client: QueryClient,
  accountId: string,
  keys: readonly string[],
): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const stored = readInboxCursor(accountId);
    const before = cursorOf(client, accountId);
    if (before === undefined) return;
    const { cursor } = await apiCall(markInboxSeen, { body: { cursor: before, shown: [...keys] } });
    if (getAccountId() !== accountId) return;
    // Another mark came first: the lines are added to that one.
    if (!replaceInboxCursor(accountId, stored, cursor)) continue;
    const inbox = client.getQueryData<Inbox>(inboxKey(accountId));
    if (!inbox) return;
    const next = { ...withOpened(inbox, keys), cursor };
    const lines = inbox.lines.filter((line) => keys.includes(line.key) && isNew(inbox, line));
    client.setQueryData<Inbox>(inboxKey(accountId), next);
    await leaveBell(accountId, lines).catch(() => undefined);
    client.setQueryData<Inbox>(inboxKey(accountId), { ...next, onBell: countFrom(accountId, next) });
    return;
  }
}

/** Lines that were opened or read no longer count on the bell, if they came after the last visit. */
async function leaveBell(accountId: string, lines: readonly InboxLine[]): Promise<void> {
  const visited = readVisitCursor(accountId);
  const onBell = getLiveCounts();
  if (visited === undefined || countKinds.every((kind) => onBell[kind] === 0)) return;
  const { cursor } = await apiCall(markInboxSeen, {
    body: { cursor: visited, shown: lines.map(({ key }) => key) },
  });
  // A visit meanwhile has them already.
  if (readVisitCursor(accountId) !== visited) return;
  saveVisitCursor(accountId, cursor);
  setLiveCounts(lines.map(weightOf).reduce(subtract, onBell));
  seen(cursor);
}

/**
 * The inbox was visited: what is in the list leaves the bell, and stays new until it is opened. Sent at each visit, so that
 * the request does not tell whether there was anything new.
 */
export async function markVisited(client: QueryClient, accountId: string, inbox: Inbox): Promise<void> {
  const shown = inbox.lines.map(({ key }) => key);
  const { cursor } = await apiCall(markInboxSeen, { body: { cursor: inbox.cursor, shown } });
  if (getAccountId() !== accountId) return;
  saveVisitCursor(accountId, cursor);
  setLiveCounts(none);
  seen(cursor);
  client.setQueryData<Inbox>(inboxKey(accountId), (now) => now && { ...now, onBell: none });
}
