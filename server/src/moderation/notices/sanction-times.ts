import { dayInIndia, dayMs, hourMs, startOfDayInIndia } from '../../platform/clock.ts';

/** A sanction starts at a random moment within this time, unless waiting is dangerous. */
const startSpreadMs = 6 * hourMs;

export interface SanctionTimes {
  readonly startsAt: number;
  readonly endsAt: number;
}

/**
 * The end is a midnight, and does not depend on the start: the
 * author reads the last day at once, and must not be able to compute from it when their silence begins.
 */
export function sanctionTimes(
  decidedAt: number,
  { days, isAtOnce, share }: { readonly days: number; readonly isAtOnce: boolean; readonly share: number },
): SanctionTimes {
  return {
    startsAt: decidedAt + (isAtOnce ? 0 : Math.floor(share * startSpreadMs)),
    endsAt: midnightAfter(decidedAt, days),
  };
}

/** The midnight in India that is nearest to this many days later. */
export function midnightAfter(time: number, days: number): number {
  return startOfDayInIndia(dayInIndia(time + (days + 0.5) * dayMs));
}
