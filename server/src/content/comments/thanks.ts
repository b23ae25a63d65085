import { addDays, type Day } from '../../platform/clock.ts';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { CommentId } from '../../kernel/public-ids.ts';

export function createThanksRules(keys: Keys) {
  const drawDays = (ventId: bigint, day: Day) =>
    hmac(keys.of('thanks-delay/1'), String(ventId), day).readUInt32BE() % 7;
  return {
    /** For the order of rows. */
    keyOf: ({ ventId, no }: CommentId) =>
      hmac(keys.of('thanks/1'), String(ventId), String(no)).subarray(0, 16),
    /**
     * One to seven days later: told the next day, a farm that answers every vent could link those thanked on one day. The same
     * for all comments of a vent that are thanked on a day: several draws would narrow that day down.
     */
    shownFrom: (ventId: bigint, today: Day) => addDays(today, 1 + drawDays(ventId, today)),
  };
}
