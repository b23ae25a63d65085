import type { LeavingSpan } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';

/** Spans in which words are removed. */
export type RemovalSpan = Exclude<LeavingSpan, 'never'>;

/** Where nobody chose: the longer one, in which more people leave. */
export const usualSpan: RemovalSpan = '30days';

export const spanDays: Record<RemovalSpan, number> = { '30days': 30, '3days': 3 };

/**
 * The last day on which the name of somebody who left is shown: the day after the span. For words that stay it is that of
 * the usual span, so that the day tells nothing about the choice.
 */
export function nameShownUntil(leftOn: Day, span: LeavingSpan): Day {
  return addDays(leftOn, 1 + spanDays[span === 'never' ? usualSpan : span]);
}
