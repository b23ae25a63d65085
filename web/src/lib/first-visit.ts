import type { FirstVisit } from '@unsaid/contract';
import { localStore } from './storage.ts';

/**
 * A question after the first sign-in of this browser to an account that others may use too. Stored under the account's id
 * until it is answered, and cleared with the account (session.ts).
 */
const firstVisitKey = (accountId: string) => `unsaid.first-visit.${accountId}`;

export function startFirstVisit(accountId: string, { since, hasCode, otherSessions }: FirstVisit): void {
  localStore.set(firstVisitKey(accountId), `${since} ${Number(hasCode)} ${otherSessions}`);
}

/** As stored, for `parseFirstVisit` of the page that asks. */
export function readFirstVisit(accountId: string): string | null {
  return localStore.get(firstVisitKey(accountId));
}

export function endFirstVisit(accountId: string): void {
  localStore.set(firstVisitKey(accountId), null);
}
