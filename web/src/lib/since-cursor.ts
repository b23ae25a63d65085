/**
 * Up to where somebody has been told what their vents were given. Sealed by the server, which itself keeps nothing
 * about a visit. Under the account's id, and swept at log-out (session.ts).
 */
const cursorKey = (accountId: string) => `unsaid.since.${accountId}`;

export function readSinceCursor(accountId: string): string | undefined {
  try {
    return localStorage.getItem(cursorKey(accountId)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepSinceCursor(accountId: string, cursor: string): void {
  try {
    localStorage.setItem(cursorKey(accountId), cursor);
  } catch {
    // Then the same is told again next time.
  }
}
