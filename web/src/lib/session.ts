import { localStore, sessionStore } from './storage.ts';
import { createStore, wipeSessionStores } from './store.ts';

/**
 * The session token. No other module reads or writes it. Stored in local storage, so that all tabs share it
 * and notice a log-out in another tab.
 */
const tokenKey = 'unsaid.token';
/** The account of the token. Needed offline, to find that account's draft. */
const accountKey = 'unsaid.account';
/** Tells other tabs that the session was not ended by its owner. */
const refusedKey = 'unsaid.refused';

/** Keys of this device rather than of an account. They survive log-out. */
const deviceKeys = new Set([
  'unsaid.scheme',
  'unsaid.splash',
  'unsaid.locale',
  'unsaid.discreet',
  // The tab's first page, for the quick exit (boot.js).
  'unsaid.first',
]);
const ownPrefix = 'unsaid.';
export const draftPrefix = 'unsaid.draft.';

/** FNV-1a, 64 bits. */
export function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36);
}

/**
 * Storage key of an account's drafts of one kind (lib/drafts.ts). It holds a hash instead of the account id: the id gives
 * access to the profile, and on a shared phone the next person can read the key.
 */
export function draftKey(ofAccount: string, kind: string): string {
  return `${draftPrefix}${shortHash(ofAccount)}.${kind}`;
}

/** Why the last session ended. `none`: there was no session. */
export type SessionEnd = 'none' | 'logout' | 'elsewhere' | 'expired' | 'refused' | 'deleted';

export interface Session {
  readonly isSignedIn: boolean;
  readonly endedBy: SessionEnd;
}

const signedIn: Session = { isSignedIn: true, endedBy: 'none' };

let token = localStore.get(tokenKey);
const session = createStore<Session>(token === null ? { isSignedIn: false, endedBy: 'none' } : signedIn);
/** Whether the server has accepted this token since the page was loaded. */
let isConfirmed = false;
/** Null until known. */
let accountId = token === null ? null : localStore.get(accountKey);

/**
 * Deletes all keys of an account from local and session storage. With `keepsDrafts`, for a session that
 * expired, the draft stays until the next log-out or until another account signs in.
 */
function clearAccountStorage({ keepsDrafts }: { readonly keepsDrafts: boolean }): void {
  for (const store of [localStore, sessionStore]) {
    for (const key of store.keys()) {
      if (!key.startsWith(ownPrefix) || deviceKeys.has(key)) continue;
      if (keepsDrafts && key.startsWith(draftPrefix)) continue;
      store.set(key, null);
    }
  }
}

/** Deletes drafts of other accounts on this device. */
function clearOtherDrafts(accountId: string): void {
  const own = draftKey(accountId, '');
  for (const key of localStore.keys())
    if (key.startsWith(draftPrefix) && !key.startsWith(own)) localStore.set(key, null);
}

/** Stores are empty before anybody learns of the new session. */
function setSession(next: Session): void {
  wipeSessionStores();
  session.set(next);
}

export const { get: getSession, subscribe: subscribeToSession, useValue: useSession } = session;

/** The account of this session, from storage. The server's response overrides it. */
export function getAccountId(): string | null {
  return accountId;
}

/** For the API client only. */
export function getToken(): string | null {
  return token;
}

export function startSession(newToken: string, newAccountId: string): void {
  clearOtherDrafts(newAccountId);
  token = newToken;
  accountId = newAccountId;
  isConfirmed = true;
  // The token is written last: other tabs read both keys when it changes.
  localStore.set(accountKey, newAccountId);
  localStore.set(tokenKey, newToken);
  setSession(signedIn);
}

/** The server accepted the token on page load. A later rejection counts as an expired session. */
export function confirmSession(confirmedAccountId: string): void {
  accountId = confirmedAccountId;
  isConfirmed = true;
  if (localStore.get(accountKey) !== confirmedAccountId) localStore.set(accountKey, confirmedAccountId);
}

export function endSession(reason: 'logout' | 'refused' | 'deleted'): void {
  if (token === null && !getSession().isSignedIn) return;
  const endedBy = reason === 'refused' && isConfirmed ? 'expired' : reason;
  token = null;
  accountId = null;
  isConfirmed = false;
  // Deleted at once, with the token. Other tabs learn of both.
  if (reason === 'refused') localStore.set(refusedKey, 'refused');
  clearAccountStorage({ keepsDrafts: reason === 'refused' });
  setSession({ isSignedIn: false, endedBy });
}

/**
 * Ends the session only if the rejected token is still current. A late response must not end a newer session.
 */
export function rejectToken(refused: string): void {
  if (refused === token) endSession('refused');
}

/** Clears the end reason, which the sign-in page shows once. */
export function clearEndReason(): void {
  const { isSignedIn, endedBy } = getSession();
  if (!isSignedIn && endedBy !== 'none') setSession({ isSignedIn: false, endedBy: 'none' });
}

let isRefusedElsewhere = false;

window.addEventListener('storage', (event) => {
  if (event.key === refusedKey && event.newValue !== null) isRefusedElsewhere = true;
  // A null key means that the whole storage was cleared.
  if (event.key !== null && event.key !== tokenKey) return;
  const stored = localStore.get(tokenKey);
  if (stored === token) return;
  token = stored;
  accountId = stored === null ? null : localStore.get(accountKey);
  const endedBy = !isRefusedElsewhere ? 'elsewhere' : isConfirmed ? 'expired' : 'refused';
  isRefusedElsewhere = false;
  isConfirmed = false;
  if (stored === null) {
    // The other tab has deleted the draft where it had to.
    clearAccountStorage({ keepsDrafts: true });
    setSession({ isSignedIn: false, endedBy });
  } else {
    // A new object, so that subscribers see a change: the account may be another one.
    setSession({ ...signedIn });
  }
});
