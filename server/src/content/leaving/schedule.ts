import { createBlock, encryptNumbers } from '../../platform/crypto/block.ts';
import { addDays, dayMs, startOfDay } from '../../platform/clock.ts';
import { hmac } from '../../platform/crypto/keys.ts';
import type { ItemKind } from '../../kernel/person-keys.ts';
import { shuffle } from '../../platform/shuffle.ts';
import { spanDays } from '../../kernel/leaving-spans.ts';
import type { Ticket } from './ticket.ts';

/** The removal time of each item of a ticket. Pure: every process computes the same times, and none is stored. */

export interface DueItem {
  readonly kind: ItemKind;
  readonly slotKey: Buffer;
  readonly dueAt: number;
}

/**
 * Starts at the midnight after the day of leaving. So no ticket holds a time, and all who leave on a day share a period.
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
 * Pseudo-random times, uniform over the period; sorted with the latest first, so that the next item is popped from the
 * end. The times derive from a separate key: slot keys are stored in the rows, and a thief could compute times from them.
 */
export function scheduleItems(ticket: Ticket): DueItem[] {
  const { begins, ends } = periodOf(ticket);
  return kinds
    .flatMap((kind) => {
      const numbers = Array.from({ length: ticket.lastSlots[kind] }, (_, n) => n + 1);
      const secret = ticket.secrets[kind];
      const slotKeys = encryptNumbers(createBlock(secret), numbers);
      const random = encryptNumbers(createBlock(hmac(secret, 'due')), numbers);
      return slotKeys.map((slotKey, n) => {
        const share = (random[n] as Buffer).readUIntBE(0, 6) / 2 ** 48;
        return {
          kind,
          slotKey,
          dueAt: begins + Math.floor(share * (ends - begins)),
        };
      });
    })
    .toSorted((a, b) => b.dueAt - a.dueAt);
}

/** A worker that runs every minute removes an item within this time. A later one counts as missed. */
const onTimeMs = 10 * 60_000;
/** Missed items are spread over at least this time, even after the end of the period. */
const minSpreadMs = dayMs;

export interface Round {
  readonly now: number;
  /** Since the round before. */
  readonly elapsedMs: number;
  /** Uniform in [0, 1). */
  random(): number;
}

/**
 * The items that may go in this round, in the order to try: the first that still exists is removed, and no other.
 * Items missed while no worker ran are not removed minute by minute, which would show as a run of one person's words.
 * Instead each round removes one with the probability that spreads them evenly over the rest of the period.
 */
export function chooseDue(
  due: readonly DueItem[],
  ends: number,
  { now, elapsedMs, random }: Round,
): DueItem[] {
  const onTime = due.filter(({ dueAt }) => now - dueAt <= onTimeMs);
  if (onTime.length > 0) return shuffle(onTime, random);
  const chance = (due.length * elapsedMs) / Math.max(ends - now, minSpreadMs);
  return random() < chance ? shuffle(due, random) : [];
}
