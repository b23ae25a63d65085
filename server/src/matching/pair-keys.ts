import { randomBytes } from 'node:crypto';
import { blockOf, createBlock } from '../platform/crypto/block.ts';
import type { Keys } from '../platform/crypto/keys.ts';

/** How the matching schema knows an account: one AES block over its id. */
export interface PairKeys {
  encode(userId: bigint): Buffer;
  decode(pairKey: Buffer): bigint;
  /** The number of an account's advisory lock. Not its pair key: every database login can see locks. */
  lockOf(userId: bigint): bigint;
}

export function createPairKeys(keys: Keys): PairKeys {
  const pairs = createBlock(keys.permanent('pair/1'));
  const locks = createBlock(keys.permanent('pair-lock/1'));
  return {
    encode: (userId) => pairs.encrypt(blockOf(userId, 0n)),
    decode: (pairKey) => pairs.decrypt(pairKey).readBigInt64BE(),
    lockOf: (userId) => locks.encrypt(blockOf(userId, 0n)).readBigInt64BE(),
  };
}

/** 63 random bits. */
export const randomPairId = () => randomBytes(8).readBigUInt64BE() >> 1n;
