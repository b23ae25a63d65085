/**
 * Whether comments from this tab carry one's name. Anonymous unless chosen, and the choice ends with the tab: a name
 * given once should not appear under words written another day. Under the account's id, and swept at log-out
 * (session.ts).
 */
const voiceKey = (accountId: string) => `unsaid.voice.${accountId}`;

export function speaksByName(accountId: string): boolean {
  try {
    return sessionStorage.getItem(voiceKey(accountId)) === 'name';
  } catch {
    return false;
  }
}

export function keepVoice(accountId: string, isByName: boolean): void {
  try {
    if (isByName) sessionStorage.setItem(voiceKey(accountId), 'name');
    else sessionStorage.removeItem(voiceKey(accountId));
  } catch {
    // Then the choice lasts as long as the composer is open.
  }
}
