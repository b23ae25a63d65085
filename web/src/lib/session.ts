/**
 * The only file that touches the token. Everything else asks here whether somebody is signed in.
 * Kept in localStorage, so that tabs share it and learn of each other's sign-out.
 */
const tokenKey = 'unsaid.token';
/** Whose token it is: without a connection, their own draft must still be found. */
const accountKey = 'unsaid.account';

/** Keys that say nothing about an account and may outlive it. */
const neutralKeys = new Set(['unsaid.scheme', 'unsaid.splash', 'unsaid.locale', 'unsaid.discreet']);
const ownPrefix = 'unsaid.';
export const draftPrefix = 'unsaid.draft.';

/**
 * Where somebody's draft lies (drafts.ts). Under a hash of the account's id (FNV-1a, 64 bits): the id itself opens their
 * profile to whoever has it, and on a shared phone that is the next person.
 */
export function draftKey(ofAccount: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(ofAccount))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return draftPrefix + hash.toString(36);
}

/** Why nobody is signed in. `none`: nobody was. */
export type SessionEnd = 'none' | 'logout' | 'elsewhere' | 'expired' | 'refused' | 'deleted';

export interface Session {
  readonly isSignedIn: boolean;
  readonly endedBy: SessionEnd;
}

const signedIn: Session = { isSignedIn: true, endedBy: 'none' };

let token = read(tokenKey);
let current: Session = token === null ? { isSignedIn: false, endedBy: 'none' } : signedIn;
/** Whether the server has accepted this token since the page was loaded. */
let isConfirmed = false;
/** Whose it is, once that is known. */
let accountId = token === null ? null : read(accountKey);

const listeners = new Set<() => void>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage can be forbidden; the session then lasts as long as the page.
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}

/**
 * Drops everything of ours that belongs to an account, in both storages. A session that merely ran out leaves its
 * draft, since nobody should lose what they finally wrote; until somebody else signs in here, or anybody logs out.
 */
function sweepStorage({ keepsDrafts }: { readonly keepsDrafts: boolean }): void {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      const storage = window[name];
      for (const key of Object.keys(storage)) {
        if (!key.startsWith(ownPrefix) || neutralKeys.has(key)) continue;
        if (keepsDrafts && key.startsWith(draftPrefix)) continue;
        storage.removeItem(key);
      }
    } catch {
      // Nothing can be kept where nothing can be read.
    }
  }
}

/** What an earlier person on this phone was writing. */
function sweepDrafts(kept: string): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(draftPrefix) && key !== kept) localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

function become(next: Session): void {
  current = next;
  for (const listener of listeners) listener();
}

export function getSession(): Session {
  return current;
}

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whose session this is, as far as is known; the server has the last word. */
export function getAccountId(): string | null {
  return accountId;
}

/** For the api client alone. */
export function getToken(): string | null {
  return token;
}

export function startSession(newToken: string, newAccountId: string): void {
  sweepDrafts(draftKey(newAccountId));
  token = newToken;
  accountId = newAccountId;
  isConfirmed = true;
  // The token last: other tabs look at both when it changes.
  write(accountKey, newAccountId);
  write(tokenKey, newToken);
  become(signedIn);
}

/** The start check has passed: from now on, losing the session is losing it in mid-use. */
export function confirmSession(confirmedAccountId: string): void {
  accountId = confirmedAccountId;
  isConfirmed = true;
  if (read(accountKey) !== confirmedAccountId) write(accountKey, confirmedAccountId);
}

export function endSession(reason: 'logout' | 'refused' | 'deleted'): void {
  if (token === null && !current.isSignedIn) return;
  const endedBy = reason === 'refused' && isConfirmed ? 'expired' : reason;
  token = null;
  accountId = null;
  isConfirmed = false;
  sweepStorage({ keepsDrafts: reason === 'refused' });
  become({ isSignedIn: false, endedBy });
}

/** Ends the session only if it is still the one that was refused: an old answer must not end a new session. */
export function refuseToken(refused: string): void {
  if (refused === token) endSession('refused');
}

/** Why the last session ended is said once, on the sign-in page, and forgotten when that is left. */
export function forgetEnding(): void {
  if (!current.isSignedIn && current.endedBy !== 'none') become({ isSignedIn: false, endedBy: 'none' });
}

window.addEventListener('storage', (event) => {
  // A null key means that the whole storage was cleared.
  if (event.key !== null && event.key !== tokenKey) return;
  const stored = read(tokenKey);
  if (stored === token) return;
  token = stored;
  accountId = stored === null ? null : read(accountKey);
  isConfirmed = false;
  if (stored === null) {
    // The other tab knows why it ended, and has swept accordingly.
    sweepStorage({ keepsDrafts: true });
    become({ isSignedIn: false, endedBy: 'elsewhere' });
  } else {
    // A new object even when somebody was signed in before: it may be somebody else.
    become({ ...signedIn });
  }
});
