/**
 * Numbers are given to other people: in India after 90 days of silence. Whoever answers a code rightly holds the
 * number today, and need not be the one who held it when the account was made.
 */
const recycledAfterDays = 90;
/** From then on nobody comes to the account by its number. */
export const letGoAfterDays = 180;
/** From then on there is no account. */
export const purgedAfterDays = 365;

interface Meeting {
  /** Days since the account was last used. */
  readonly idleDays: number;
  /** This browser has signed in to this very account before. */
  readonly isKnownDevice: boolean;
}

/** After a right code: whose account opens. Nothing tells a person that there was another one. */
export function whoseAccount({ idleDays, isKnownDevice }: Meeting): 'theirs' | 'fresh' {
  return idleDays <= recycledAfterDays || isKnownDevice ? 'theirs' : 'fresh';
}

/** May somebody who holds a number now take it to another account of theirs, away from this one? */
export function mayTakeNumberFrom({ idleDays }: Pick<Meeting, 'idleDays'>): boolean {
  return idleDays > recycledAfterDays;
}
