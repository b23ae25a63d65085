import { randomInt } from 'node:crypto';

/**
 * When counts of content are counted again: at random moments, so that a person who comments on a vent and watches a
 * screen does not learn whose vent it is.
 */
export interface RecountPace {
  readonly tickMs: number;
  /** The shortest time from one count of content to the next; the longest is twice as long. */
  readonly recountMs: number;
}

/** A tick is the first moment at which a new count shows, so the draw ends one tick before the longest time. */
export function drawRecount({ tickMs, recountMs }: RecountPace): number {
  return randomInt(recountMs, Math.max(recountMs + 1, recountMs * 2 - tickMs));
}

/** A time further away than any draw comes from a clock that was set back. */
export function isRecountDue(recountAt: number, now: number, recountMs: number): boolean {
  return now >= recountAt || recountAt - now > recountMs * 2;
}
