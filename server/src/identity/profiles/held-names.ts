import { addDays, type Day } from '../../platform/clock.ts';
import { halfMonthOf } from '../../platform/coarse-days.ts';

const heldDays = 30;

/**
 * Until when a former name is held back from others. Rounded down to a half month: the exact day could be compared with
 * other days, and with the keys it would link the name of a person who left to the leaving ticket.
 */
export const nameHeldUntil = (today: Day): Day => halfMonthOf(addDays(today, heldDays));
