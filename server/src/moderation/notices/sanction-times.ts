import { dayInIndia, dayMs, hourMs, startOfDayInIndia } from '../../platform/clock.ts';

/** A sanction starts at a random moment within this time, unless waiting is dangerous. */
const startSpreadMs = 6 * hourMs;

export interface SanctionTimes {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/**
 * The end is the midnight in India that is nearest to the decision plus the days, and does not depend on the start: the
 * author reads the last day at once, and must not be able to compute from it when their silence begins.
 */
export function sanctionTimes(
  decidedAt: number,
  { days, isAtOnce, share }: { readonly days: number; readonly isAtOnce: boolean; readonly share: number },
): SanctionTimes {
  return {
    startsAt: new Date(decidedAt + (isAtOnce ? 0 : Math.floor(share * startSpreadMs))),
    endsAt: new Date(startOfDayInIndia(dayInIndia(decidedAt + (days + 0.5) * dayMs))),
  };
}
