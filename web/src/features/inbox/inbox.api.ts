import { inboxKinds, listInbox, markInboxSeen, type InboxCounts, type InboxLine } from '@unsaid/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { readInboxCursor, replaceInboxCursor } from '../../lib/inbox-cursor.ts';
import { seen, setLiveCounts, useLiveCounts } from '../../lib/live.ts';
import { getAccountId } from '../../lib/session.ts';

export interface Inbox {
  readonly lines: readonly InboxLine[];
  readonly counts: InboxCounts;
  /** Of the response: for a browser that stores nothing. */
  readonly cursor: string;
  /** Keys of lines that were unread when they came, and were on screen since. */
  readonly seen: ReadonlySet<string>;
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
 * The list. Fetching it marks nothing as seen. With `storesCursor: false` its cursor is not stored, so that a tab that
 * follows another one's cursor does not make that one follow in turn.
 */
export function inboxQuery(client: QueryClient, accountId: string, { storesCursor = true } = {}) {
  return queryOptions({
    queryKey: inboxKey(accountId),
    queryFn: async ({ signal }): Promise<Inbox> => {
      for (let tries = 1; ; tries += 1) {
        const stored = readInboxCursor(accountId);
        const response = await apiCall(listInbox, { query: { cursor: cursorOf(client, accountId) }, signal });
        const isCurrent = storesCursor
          ? replaceInboxCursor(accountId, stored, response.cursor)
          : readInboxCursor(accountId) === stored;
        if (!isCurrent && tries < maxTries && getAccountId() === accountId) continue;
        const inbox: Inbox = {
          // A newer server may send kinds that this release does not know.
          lines: response.lines.filter(({ kind }) => inboxKinds.includes(kind)),
          counts: response.counts,
          cursor: response.cursor,
          seen: new Set(),
        };
        tellLive(accountId, inbox);
        return inbox;
      }
    },
    gcTime: Infinity,
  });
}

/** For what shows the list: opening it always shows what there is now. */
export function useInbox(client: QueryClient, accountId: string) {
  return useQuery({ ...inboxQuery(client, accountId), refetchOnMount: 'always' });
}

/** Whether a line is unread, and was not on screen since it came. */
export function isUnseen({ seen }: Inbox, { key, isUnread }: InboxLine): boolean {
  return isUnread && !seen.has(key);
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
  if (line.kind !== 'reactions') return { ...none, answers: line.count };
  const { heart, hug, listen } = line.reactions;
  return { ...none, gifts: heart + hug + listen };
}

/** The inbox after lines were on screen. Their look stays until the page is opened again: nothing moves while it is read. */
export function withSeen(inbox: Inbox, keys: readonly string[]): Inbox {
  const seen = new Set(inbox.seen);
  const counts = { ...inbox.counts };
  for (const line of inbox.lines) {
    if (!isUnseen(inbox, line) || !keys.includes(line.key)) continue;
    seen.add(line.key);
    const weight = weightOf(line);
    for (const kind of ['answers', 'gifts', 'matches'] as const)
      counts[kind] = Math.max(0, counts[kind] - weight[kind]);
  }
  return { ...inbox, counts, seen };
}

/** Marks lines as seen. If it fails, they are unread at the next visit. */
export async function markSeen(
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
    const next = { ...withSeen(inbox, keys), cursor };
    client.setQueryData<Inbox>(inboxKey(accountId), next);
    tellLive(accountId, next);
    return;
  }
}
