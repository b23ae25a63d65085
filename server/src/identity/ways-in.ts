/**
 * Every way into an account, decided in one place: the services ask here, and docs/ways-in.md is made from it. Pure.
 */
export const ways = ['code', 'recoveryCode', 'changedNumber', 'session'] as const;
export type Way = (typeof ways)[number];

/** What somebody has in hand at that moment. */
export interface Held {
  /** A fresh code that was sent to the account's number. */
  readonly sms?: boolean;
  /** A fresh code that was sent to the number that the account had until some days ago. */
  readonly formerSms?: boolean;
  /** A recovery code. */
  readonly paper?: boolean;
  readonly session?: boolean;
  /** The cookie of a browser that has signed in to this account before. */
  readonly device?: boolean;
}

export interface AccountState {
  /** Days since the account was last used: for a code to its number. */
  readonly idleDays?: number;
  /** In the last days. */
  readonly isNumberChanged?: boolean;
  /** The recovery code was replaced or cancelled in the last days. */
  readonly isPaperReplaced?: boolean;
}

export interface Entry {
  readonly opens: 'at once' | 'after a wait' | 'no';
  /** Where the owner reads of it. */
  readonly tells: 'sessions' | 'inbox' | 'everywhere' | 'nobody';
  /** With what the owner ends it. */
  readonly stoppedBy:
    | 'ending sessions'
    | 'a code to the number'
    | 'the former number and a recovery code'
    | 'nothing';
}

/**
 * Carriers recycle numbers: in India after 90 idle days. A correct code proves who holds the number today, not who held
 * it when the account was created.
 */
export const recycledAfterDays = 90;

const closed: Entry = { opens: 'no', tells: 'nobody', stoppedBy: 'nothing' };
const openSession = { tells: 'sessions', stoppedBy: 'ending sessions' } as const;

export function wayIn(way: Way, held: Held, account: AccountState = {}): Entry {
  switch (way) {
    case 'session':
      return held.session ? { opens: 'at once', ...openSession } : closed;
    case 'code': {
      const { idleDays = Infinity } = account;
      const isTheirs = idleDays <= recycledAfterDays || held.device;
      return held.sms && isTheirs ? { opens: 'at once', ...openSession } : closed;
    }
    case 'recoveryCode': {
      // Whoever had the phone for five minutes can have replaced the code and changed the number. The owner still has the
      // number that they changed.
      const isOfFormerNumber = held.formerSms === true && account.isNumberChanged === true;
      if (!held.paper || (account.isPaperReplaced && !isOfFormerNumber)) return closed;
      // A code that somebody made or found must not open an account of somebody else: they are told, and can stop it.
      const stoppedBy = isOfFormerNumber ? 'nothing' : 'a code to the number';
      return { opens: 'after a wait', tells: 'everywhere', stoppedBy };
    }
    case 'changedNumber':
      return held.session && (held.sms || held.paper)
        ? { opens: 'at once', tells: 'inbox', stoppedBy: 'the former number and a recovery code' }
        : closed;
  }
}
