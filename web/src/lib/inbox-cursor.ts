import { getAccountId } from './session.ts';
import { localStore } from './storage.ts';

/**
 * The inbox cursors: what a person has opened of their inbox, and what was there at their last visit of it. Encrypted by
 * the server, which stores nothing about a visit. Stored under the account's id and cleared at log-out (session.ts).
 */
export const inboxCursorKey = (accountId: string) => `unsaid.inbox.${accountId}`;
export const visitCursorKey = (accountId: string) => `unsaid.visited.${accountId}`;

export function readInboxCursor(accountId: string): string | undefined {
  return localStore.get(inboxCursorKey(accountId)) ?? undefined;
}

/** The number on the bell counts from here. */
export function readVisitCursor(accountId: string): string | undefined {
  return localStore.get(visitCursorKey(accountId)) ?? undefined;
}

/** After a log-out nothing is stored. */
export function saveVisitCursor(accountId: string, cursor: string): void {
  if (getAccountId() === accountId) localStore.set(visitCursorKey(accountId), cursor);
}

/**
 * Stores the cursor of a response, unless the stored one is no longer the one of the request: another tab, or another
 * response, was faster. Returns whether it was stored. After a log-out nothing is.
 */
export function replaceInboxCursor(accountId: string, from: string | undefined, to: string): boolean {
  if (getAccountId() !== accountId || readInboxCursor(accountId) !== from) return false;
  localStore.set(inboxCursorKey(accountId), to);
  return true;
}
