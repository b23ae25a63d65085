/**
 * Carriers recycle numbers: in India after 90 idle days. A correct code proves who holds the number today, not who held
 * it when the account was created.
 */
const recycledAfterDays = 90;
/** After this, the number no longer opens the account. */
export const releasedAfterDays = 180;
/** After this, the account is erased. */
export const purgedAfterDays = 365;

interface AccountClaim {
  /** Days since the account was last used. */
  readonly idleDays: number;
  /** This browser has signed in to this account before. */
  readonly isKnownDevice: boolean;
}

/** After a correct code: which account opens. The response does not reveal that there was another one. */
export function resolveAccount({ idleDays, isKnownDevice }: AccountClaim): 'existing' | 'new' {
  return idleDays <= recycledAfterDays || isKnownDevice ? 'existing' : 'new';
}

/** Whether the number of an idle account may move to another account of the person who holds the number now. */
export function mayReassignNumber({ idleDays }: Pick<AccountClaim, 'idleDays'>): boolean {
  return idleDays > recycledAfterDays;
}
