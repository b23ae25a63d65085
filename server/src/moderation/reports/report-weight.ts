/** What the weight of a report depends on, apart from its address. Decided: reports of the person that still have a slot. */
export interface Reporter {
  /** Age of the account. */
  readonly days: number;
  /** Decided reports that a moderator agreed with, and the others. */
  readonly agreed: number;
  readonly disagreed: number;
}

const newcomerDays = 14;

/** Accounts are cheap while they are new, so all newcomers together give a part of a threshold only (`pause.ts`). */
export const isNewcomer = ({ days }: Pick<Reporter, 'days'>): boolean => days < newcomerDays;

function ageFactor(days: number): number {
  if (days < 2) return 0.25;
  return days < newcomerDays ? 0.5 : 1;
}

/** Starts at 0.7 and approaches what the person's reports have shown. */
function accuracyFactor({ agreed, disagreed }: Reporter): number {
  const decided = agreed + disagreed;
  if (decided >= 10 && agreed / decided < 0.3) return 0;
  return Math.min(1.25, Math.max(0.2, (1.4 * (agreed + 1)) / (decided + 2)));
}

/**
 * How much a report counts towards an automatic pause. `nth`: it is the n-th report on this item from its address.
 * In steps of 0.1: an exact weight would be a fingerprint of the reporter's history, by which a database dump could link
 * two of their reports.
 */
export function weightOf(reporter: Reporter, nth: number): number {
  const exact = ageFactor(reporter.days) * accuracyFactor(reporter) * 0.5 ** (nth - 1);
  return Math.round(exact * 10 + 1e-9) / 10;
}
