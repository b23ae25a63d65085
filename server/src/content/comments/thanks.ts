import { addDays, type Day } from '../../platform/clock.ts';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { CommentId } from '../../kernel/public-ids.ts';

/** For the order of rows. */
export const thankKeyOf = (keys: Keys, { ventId, no }: CommentId) =>
  hmac(keys.of('thanks/1'), String(ventId), String(no)).subarray(0, 16);

const drawDays = (keys: Keys, ventId: bigint, day: Day) =>
  hmac(keys.of('thanks-delay/1'), String(ventId), day).readUInt32BE() % 7;

/**
 * One to seven days later: told the next day, a farm that answers every vent could link those thanked on one day. The same
 * for all comments of a vent that are thanked on a day: several draws would narrow that day down.
 */
export const thanksShownFrom = (keys: Keys, ventId: bigint, today: Day) =>
  addDays(today, 1 + drawDays(keys, ventId, today));
