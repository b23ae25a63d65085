import { localStore } from './storage.ts';

/**
 * The since cursor: up to where a person has seen reactions and comments on their vents. Encrypted by the
 * server, which stores nothing about a visit. Stored under the account's id and cleared at log-out
 * (session.ts).
 */
const cursorKey = (accountId: string) => `unsaid.since.${accountId}`;

export function readSinceCursor(accountId: string): string | undefined {
  return localStore.get(cursorKey(accountId)) ?? undefined;
}

/** If it cannot be stored, the next visit shows the same again. */
export function saveSinceCursor(accountId: string, cursor: string): void {
  localStore.set(cursorKey(accountId), cursor);
}
