import { localStore } from '../../lib/storage.ts';

/**
 * Whether a new account still gets the welcome on the home page. Stored in this browser under the account's id
 * and cleared with it (lib/session.ts): a later log-in to the account shows none.
 */
const welcomeKey = (accountId: string) => `unsaid.welcome.${accountId}`;

export function startWelcome(accountId: string): void {
  localStore.set(welcomeKey(accountId), 'new');
}

export function hasWelcome(accountId: string): boolean {
  return localStore.get(welcomeKey(accountId)) !== null;
}

export function endWelcome(accountId: string): void {
  localStore.set(welcomeKey(accountId), null);
}
