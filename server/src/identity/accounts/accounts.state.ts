import { addDays, type Day } from '../../platform/clock.ts';
import { halfMonthOf, nextHalfMonth } from '../../platform/coarse-days.ts';
import { recycledAfterDays } from '../ways-in.ts';

/** After this, the number no longer opens the account. */
export const releasedAfterDays = 180;
/** After this, the account is erased. */
export const purgedAfterDays = 365;

/** As long as the longest suspension. */
const heldDays = 30;

/**
 * The day on which the number of a deleted account is released. Of a suspended person it is held as long as a suspension
 * can last, of a banned person until the end of the ban; but at most 90 days, which is shorter than a ban: after 90 days
 * without an account the number may be somebody else's. Half months, because with the keys the exact day of leaving or of
 * the end of a ban would link the number to the leaving ticket, and so to items, or to a notice, and so to a case.
 */
export function numberHeldUntil(sanction: 'suspend' | 'ban', endsOn: Day, today: Day): Day {
  const wanted = nextHalfMonth(sanction === 'ban' ? endsOn : addDays(today, heldDays));
  const latest = halfMonthOf(addDays(today, recycledAfterDays));
  return wanted < latest ? wanted : latest;
}
