import { addDays, type Day } from '../../platform/clock.ts';
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
}

export function createThanksRules(keys: Keys): ThanksRules {
  const order = keys.permanent('thanks/1');
  const delay = keys.permanent('thanks-delay/1');
  return {
    keyOf: ({ ventId, no }) => hmac(order, String(ventId), String(no)).subarray(0, 16),
    shownFrom: (ventId, today) => addDays(today, 1 + (hmac(delay, String(ventId), today).readUInt32BE() % 7)),
  };
}
