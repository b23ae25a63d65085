import { sessionStore } from './storage.ts';

/**
 * Whether comments from this tab carry the person's name. Anonymous by default, and the choice ends with the
 * tab: a name given once must not appear on a comment written another day. Stored under the account's id and
 * cleared at log-out (session.ts).
 */
const voiceKey = (accountId: string) => `unsaid.voice.${accountId}`;

export function speaksByName(accountId: string): boolean {
  return sessionStore.get(voiceKey(accountId)) === 'name';
}

export function saveVoice(accountId: string, isByName: boolean): void {
  sessionStore.set(voiceKey(accountId), isByName ? 'name' : null);
}
