import type { LeavingSpan } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';

/** The spans that remove words. */
export type RemovalSpan = Exclude<LeavingSpan, 'never'>;

/** The longest span: the more people leave within it, the more each could be any of them. */
export const defaultSpan: RemovalSpan = '30days';

export const spanDays: Record<RemovalSpan, number> = { '30days': 30, '3days': 3 };

/**
 * The last day on which the name of a departed person is shown: the day after the span. For words that stay it is that of
 * the default span, so that the day does not reveal the choice.
 */
export function nameShownUntil(leftOn: Day, span: LeavingSpan): Day {
  return addDays(leftOn, 1 + spanDays[span === 'never' ? defaultSpan : span]);
}
