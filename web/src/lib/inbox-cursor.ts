import { getAccountId } from './session.ts';
import { localStore } from './storage.ts';

/**
 * The inbox cursor: what a person has seen of their inbox. Encrypted by the server, which stores nothing about a visit.
 * Stored under the account's id and cleared at log-out (session.ts).
 */
export const inboxCursorKey = (accountId: string) => `unsaid.inbox.${accountId}`;

export function readInboxCursor(accountId: string): string | undefined {
  return localStore.get(inboxCursorKey(accountId)) ?? undefined;
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
