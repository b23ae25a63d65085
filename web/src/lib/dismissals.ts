import { localStore } from './storage.ts';

/**
 * Offers that a person has dismissed ("Not now") in this browser. Stored under the account's id and cleared with it
 * (session.ts), so that on a shared phone another person still gets the offer.
 */
const dismissalKey = (accountId: string, offer: string) => `unsaid.later.${offer}.${accountId}`;

export function isDismissed(accountId: string, offer: string): boolean {
  return localStore.get(dismissalKey(accountId, offer)) !== null;
}

export function dismiss(accountId: string, offer: string): void {
  localStore.set(dismissalKey(accountId, offer), 'later');
}
