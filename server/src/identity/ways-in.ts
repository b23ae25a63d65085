import { limits } from '@unsaid/contract';

/**
 * Every way into an account, decided in one place: the services ask here, and docs/ways-in.md is made from it. Pure.
 */
export const ways = ['code', 'recoveryCode', 'changedNumber', 'session'] as const;
export type Way = (typeof ways)[number];

/** What somebody has in hand at that moment. */
export interface Held {
  /** A fresh code that was sent to the account's number. */
  readonly sms?: boolean;
  /** A recovery code that is valid. */
  readonly paper?: boolean;
  readonly session?: boolean;
  /** The cookie of a browser that has signed in to this account before. */
  readonly device?: boolean;
}

export interface AccountState {
  /** Days since the account was last used. */
  readonly idleDays: number;
  /** The number was changed in the last days, and the recovery code was valid for some days before. */
  readonly isNumberNewerThanPaper?: boolean;
}

export interface Entry {
  readonly opens: 'at once' | 'after a wait' | 'no';
  /** Where the owner reads of it. */
  readonly tells: 'sessions' | 'inbox' | 'everywhere' | 'nobody';
  /** With what the owner ends it. */
  readonly stoppedBy: 'ending sessions' | 'a code to the number' | 'an older recovery code' | 'nothing';
}

/**
 * Carriers recycle numbers: in India after 90 idle days. A correct code proves who holds the number today, not who held
 * it when the account was created.
 */
export const recycledAfterDays = 90;

const closed: Entry = { opens: 'no', tells: 'nobody', stoppedBy: 'nothing' };
const openSession = { tells: 'sessions', stoppedBy: 'ending sessions' } as const;

export function wayIn(way: Way, held: Held, account: AccountState): Entry {
  switch (way) {
    case 'session':
      return held.session ? { opens: 'at once', ...openSession } : closed;
    case 'code': {
      const isTheirs = account.idleDays <= recycledAfterDays || held.device;
      return held.sms && isTheirs ? { opens: 'at once', ...openSession } : closed;
    }
    case 'recoveryCode':
      if (!held.paper) return closed;
      // A code that somebody made or found must not open an account that its owner uses: they are told, and can stop it.
      if (account.idleDays <= limits.recoveryIdleDays) {
        // Whoever had the phone for five minutes can have changed the number: it must not stop the owner's own code.
        const stoppedBy = account.isNumberNewerThanPaper ? 'nothing' : 'a code to the number';
        return { opens: 'after a wait', tells: 'everywhere', stoppedBy };
      }
      return { opens: 'at once', tells: 'inbox', stoppedBy: 'nothing' };
    case 'changedNumber':
      return held.session && (held.sms || held.paper)
        ? { opens: 'at once', tells: 'inbox', stoppedBy: 'an older recovery code' }
        : closed;
  }
}
