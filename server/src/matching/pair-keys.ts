import { randomBytes } from 'node:crypto';
import { dayMs, startOfDay, type Day } from '../platform/clock.ts';
import { blockOf, createBlock, splitBlocks } from '../platform/crypto/block.ts';
import type { Keys } from '../platform/crypto/keys.ts';

export type PairKeys = ReturnType<typeof createPairKeys>;

/**
 * How the matching schema knows an account: one AES block over its id and the week of the pair. All pairs under one key for
 * life would tell whose key it is (days-attack.proof.test.ts).
 */
export function createPairKeys(keys: Keys) {
  const pairs = createBlock(keys.of('pair/1'));
  const locks = createBlock(keys.of('pair-lock/1'));
  const numberOf = (week: Day) => BigInt(startOfDay(week) / dayMs);
  return {
    encode: (userId: bigint, week: Day): Buffer => pairs.encrypt(blockOf(userId, numberOf(week))),
    /** Of each person one key for each week, person by person. */
    encodeAll(userIds: readonly bigint[], weeks: readonly Day[]): Buffer[] {
      const numbers = weeks.map(numberOf);
      const blocks = userIds.flatMap((userId) => numbers.map((number) => blockOf(userId, number)));
      return splitBlocks(pairs.encrypt(Buffer.concat(blocks)));
    },
    decode: (pairKey: Buffer): bigint => pairs.decrypt(pairKey).readBigInt64BE(),
    /** The number of an account's advisory lock. Not its pair key: every database login can see locks. */
    lockOf: (userId: bigint): bigint => locks.encrypt(blockOf(userId, 0n)).readBigInt64BE(),
  };
}

/** 63 random bits. */
export const randomPairId = () => randomBytes(8).readBigUInt64BE() >> 1n;
