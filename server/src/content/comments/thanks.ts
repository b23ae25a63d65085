import { addDays, daysBetween, type Day } from '../../platform/clock.ts';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { CommentId } from '../../kernel/public-ids.ts';

export interface ThanksRules {
  /** For the order of rows. */
  keyOf(comment: CommentId): Buffer;
  /**
   * One to seven days later: told the next day, a farm that answers every vent could link those thanked on one day. The same
   * for all comments of a vent that are thanked on a day: several draws would narrow that day down.
   */
  shownFrom(ventId: bigint, today: Day): Day;
  /**
   * Another draw after the key leaked: with the key, the day of the press follows from the old one. Never later, so nobody
   * is told twice; what was not told yet is told tomorrow at the earliest.
   */
  shownFromAgain(ventId: bigint, shownFrom: Day, today: Day): Day;
}

export function createThanksRules(keys: Keys): ThanksRules {
  const drawDays = (ventId: bigint, day: Day, among: number) =>
    hmac(keys.of('thanks-delay/1'), String(ventId), day).readUInt32BE() % among;
  return {
    keyOf: ({ ventId, no }) => hmac(keys.of('thanks/1'), String(ventId), String(no)).subarray(0, 16),
    shownFrom: (ventId, today) => addDays(today, 1 + drawDays(ventId, today, 7)),
    shownFromAgain(ventId, shownFrom, today) {
      const isTold = shownFrom <= today;
      return addDays(shownFrom, -drawDays(ventId, shownFrom, isTold ? 7 : daysBetween(today, shownFrom)));
    },
  };
}
