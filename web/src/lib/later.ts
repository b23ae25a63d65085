/**
 * "Not now", by one person in this browser. Under the account's id and swept with it (session.ts): on a shared
 * phone, what one person waves away is still offered to another.
 */
const laterKey = (accountId: string, what: string) => `unsaid.later.${what}.${accountId}`;

export function isPutOff(accountId: string, what: string): boolean {
  try {
    return localStorage.getItem(laterKey(accountId, what)) !== null;
  } catch {
    return false;
  }
}

export function putOff(accountId: string, what: string): void {
  try {
    localStorage.setItem(laterKey(accountId, what), 'later');
  } catch {
    // Then it is offered again next time.
  }
}
