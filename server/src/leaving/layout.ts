import { createBlock } from '../platform/block.ts';
import { addDays, dayMs, startOfDay } from '../platform/clock.ts';
import { hmac } from '../platform/keys.ts';
import { encryptNumbers, type ItemKind } from '../platform/persons.ts';
import { shuffle } from '../platform/shuffle.ts';
import { spanDays } from './leaving.spans.ts';
import type { Ticket } from './ticket.ts';

/** Which item of a ticket goes when. Pure: the same ticket gives the same times in every process, and none is stored. */

export interface DueItem {
  readonly kind: ItemKind;
  readonly slotKey: Buffer;
  readonly dueAt: number;
}

/**
 * From the midnight after the leaving: the moment is in no ticket, and everybody who leaves on a day has the same span.
 */
export function periodOf({ leftOn, span }: Pick<Ticket, 'leftOn' | 'span'>): {
  begins: number;
  ends: number;
} {
  const begins = startOfDay(addDays(leftOn, 1));
  return { begins, ends: begins + spanDays[span] * dayMs };
}

const kinds: readonly ItemKind[] = ['vent', 'comment'];

/**
 * Every item at a time of its own, evenly over the period; the last to go first, so that the next is taken from the end.
 * The times follow from a key: from slot keys, which stand in the rows, a thief could compute them.
 */
export function layOut(ticket: Ticket): DueItem[] {
  const { begins, ends } = periodOf(ticket);
  return kinds
    .flatMap((kind) => {
      const numbers = Array.from({ length: ticket.lasts[kind] }, (_, n) => n + 1);
      const secret = ticket.secrets[kind];
      const slotKeys = encryptNumbers(createBlock(secret), numbers);
      const drawn = encryptNumbers(createBlock(hmac(secret, 'due')), numbers);
      return slotKeys.map((slotKey, n) => {
        const share = (drawn[n] as Buffer).readUIntBE(0, 6) / 2 ** 48;
        return { kind, slotKey, dueAt: begins + Math.floor(share * (ends - begins)) };
      });
    })
    .toSorted((a, b) => b.dueAt - a.dueAt);
}

/** A worker that comes every minute meets an item within this. What it meets later, it has missed. */
const metWithinMs = 10 * 60_000;
/** Over at least so long missed items are spread, also where the period has ended. */
const leastSpreadMs = dayMs;

export interface Round {
  readonly now: number;
  /** Since the round before. */
  readonly elapsedMs: number;
  /** 0 up to, not including, 1. */
  random(): number;
}

/**
 * The items that may go in this round, in the order to be tried: the first that is still there goes, and no other.
 * What was missed while no worker ran does not go minute by minute, which would be seen as a run of one person's words.
 * It is spread evenly over the rest of the period: in each round one of them goes with the chance that makes it so.
 */
export function chooseDue(
  due: readonly DueItem[],
  ends: number,
  { now, elapsedMs, random }: Round,
): DueItem[] {
  const met = due.filter(({ dueAt }) => now - dueAt <= metWithinMs);
  if (met.length > 0) return shuffle(met, random);
  const chance = (due.length * elapsedMs) / Math.max(ends - now, leastSpreadMs);
  return random() < chance ? shuffle(due, random) : [];
}
