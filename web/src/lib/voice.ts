import { localStore, sessionStore } from './storage.ts';

/**
 * Whether comments from this tab carry the person's name. Anonymous by default, and the choice ends with the
 * tab: a name given once must not appear on a comment written another day. Stored under the account's id and
 * cleared at log-out (session.ts).
 */
const prefix = 'unsaid.voice.';

export function speaksByName(accountId: string): boolean {
  // An earlier version stored the choice for the whole browser.
  for (const key of localStore.keys()) if (key.startsWith(prefix)) localStore.set(key, null);
  return sessionStore.get(prefix + accountId) === 'name';
}

export function saveVoice(accountId: string, isByName: boolean): void {
  sessionStore.set(prefix + accountId, isByName ? 'name' : null);
}
