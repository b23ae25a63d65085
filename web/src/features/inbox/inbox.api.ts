import { inboxKinds, listInbox, markInboxSeen, type InboxCounts, type InboxLine } from '@unsaid/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { readInboxCursor, replaceInboxCursor } from '../../lib/inbox-cursor.ts';
import { seen, setLiveCounts, useLiveCounts } from '../../lib/live.ts';
import { getReadComments } from '../../lib/read-comments.ts';
import { getAccountId } from '../../lib/session.ts';
import { createSessionStore } from '../../lib/store.ts';

export interface Inbox {
  readonly lines: readonly InboxLine[];
  readonly counts: InboxCounts;
  /** Of the response: for a browser that stores nothing. */
  readonly cursor: string;
  /** Keys of lines that were unread when they came, and were opened since. */
  readonly opened: ReadonlySet<string>;
}

const inboxKey = (accountId: string) => ['inbox', accountId] as const;

/** A response can cross a mark of this tab or another one. Then the list is fetched again with the new cursor. */
const maxTries = 3;

function cursorOf(client: QueryClient, accountId: string): string | undefined {
  return readInboxCursor(accountId) ?? client.getQueryData<Inbox>(inboxKey(accountId))?.cursor;
}

/**
 * What the page knows now is newer than the last tick. The server counts again before the next one, because it is told
 * the cursor. Not after a log-out.
 */
function tellLive(accountId: string, { counts, cursor }: Inbox): void {
  if (getAccountId() !== accountId) return;
  setLiveCounts(counts);
  seen(cursor);
}

/**
 * The list. Fetching it marks nothing as opened. With `storesCursor: false` its cursor is not stored, so that a tab that
 * follows another one's cursor does not make that one follow in turn.
 */
export function inboxQuery(client: QueryClient, accountId: string, { storesCursor = true } = {}) {
  return queryOptions({
    queryKey: inboxKey(accountId),
    queryFn: async ({ signal }): Promise<Inbox> => {
      for (let tries = 1; ; tries += 1) {
        const stored = readInboxCursor(accountId);
        const response = await apiCall(listInbox, { query: { cursor: cursorOf(client, accountId) }, signal });
        const { cursor, read } = await markRead(response);
        const isCurrent = storesCursor
          ? replaceInboxCursor(accountId, stored, cursor)
          : readInboxCursor(accountId) === stored;
        if (!isCurrent && tries < maxTries && getAccountId() === accountId) continue;
        // A newer server may send kinds that this release does not know.
        const lines = response.lines.filter(({ kind }) => inboxKinds.includes(kind));
        const inbox = withOpened({ lines, counts: response.counts, cursor, opened: new Set() }, read);
        keepListed(inbox);
        tellLive(accountId, inbox);
        return inbox;
      }
    },
    gcTime: Infinity,
  });
}

/**
 * Marks what was read on a vent's own page since the last list. Now, and not when the vent was opened: a request then would
 * tell who watches the network that the vent concerns the reader.
 */
async function markRead({ lines, cursor }: Pick<Inbox, 'lines' | 'cursor'>) {
  const read = lines.filter((line) => line.isUnread && wasRead(line)).map(({ key }) => key);
  if (read.length === 0) return { cursor, read };
  try {
    const marked = await apiCall(markInboxSeen, { body: { cursor, shown: read } });
    return { cursor: marked.cursor, read };
  } catch {
    return { cursor, read };
  }
}

/** Whether the first of its new comments was on screen. */
export function wasRead(line: InboxLine, read = getReadComments()): boolean {
  return 'count' in line && read.get(line.vent._id)?.has(line.commentId) === true;
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

/** Whether the live connection counts more than the list has. A tick causes no request: the reader asks for the rest. */
export function useHasMore({ counts }: Pick<Inbox, 'counts'>): boolean {
  const live = useLiveCounts();
  return live.answers > counts.answers || live.gifts > counts.gifts || live.matches > counts.matches;
}

/** How much of the counts a line is. */
function weightOf(line: InboxLine): InboxCounts {
  const none: InboxCounts = { answers: 0, gifts: 0, matches: 0 };
  if (line.kind === 'said_yes' || line.kind === 'both_said_yes') return { ...none, matches: 1 };
  if (line.kind === 'notice' || line.kind === 'account') return none;
  if (line.kind === 'thanks') return { ...none, gifts: 1 };
  if (line.kind !== 'reactions') return { ...none, answers: line.count };
  const { heart, hug, listen } = line.reactions;
  return { ...none, gifts: heart + hug + listen };
}

/**
 * What was on screen in the list and not opened, by `identityOf`: how much of the counts each line was then. It no longer
 * counts on the bell, and its line stays new. In the memory of this tab, because the cursor has only what was opened.
 */
const glanced = createSessionStore<ReadonlyMap<string, InboxCounts>>(new Map());

const countKinds = ['answers', 'gifts', 'matches'] as const;

function subtract(from: InboxCounts, other: InboxCounts): InboxCounts {
  const left = { ...from };
  for (const kind of countKinds) left[kind] = Math.max(0, from[kind] - other[kind]);
  return left;
}

/** Lines that are gone, or have less than when they were on screen, must not hide what is new. */
function keepListed(inbox: Inbox): void {
  const kept = new Map<string, InboxCounts>();
  for (const line of inbox.lines) {
    const then = glanced.get().get(identityOf(line));
    if (!then || !isNew(inbox, line)) continue;
    const now = weightOf(line);
    kept.set(identityOf(line), subtract(now, subtract(now, then)));
  }
  glanced.set(kept);
}

/** The lines of the list that have these keys. */
export function findLines(client: QueryClient, accountId: string, keys: readonly string[]): InboxLine[] {
  const { lines = [] } = client.getQueryData<Inbox>(inboxKey(accountId)) ?? {};
  return lines.filter(({ key }) => keys.includes(key));
}

/** Lines were on screen: their number leaves the bell. */
export function glance(lines: readonly InboxLine[]): void {
  if (lines.length === 0) return;
  glanced.set(
    new Map([...glanced.get(), ...lines.map((line) => [identityOf(line), weightOf(line)] as const)]),
  );
}

/** The counts without what was on screen. */
export function useUnglanced(counts: InboxCounts): InboxCounts {
  return [...glanced.useValue().values()].reduce(subtract, counts);
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
    client.setQueryData<Inbox>(inboxKey(accountId), next);
    keepListed(next);
    tellLive(accountId, next);
    return;
  }
}
