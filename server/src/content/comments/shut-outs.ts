import { randomBytes } from 'node:crypto';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { Voice } from '../../kernel/speakers.ts';

/**
 * The keys of voices that a vent is closed to: one name, or one Anonymous. Each begins with a random salt, so no two can be
 * compared: who may read the table and closes a vent of their own, opens it and closes it again learns of no two comments
 * that they are by one person. Being closed out under a name says nothing about Anonymous: if it did, an author could see
 * whose name falls silent together with which Anonymous.
 */
export interface ShutOuts {
  makeKey(ventId: bigint, voice: Voice, speakerId: Buffer): Buffer;
  /** Whether one of a vent's keys is of this voice. */
  isAmong(keys: readonly Buffer[], ventId: bigint, voice: Voice, speakerId: Buffer): boolean;
}

const saltBytes = 8;
const keyBytes = 16;

export function createShutOuts(keys: Keys): ShutOuts {
  const key = keys.of('shut-out/2');
  const keyWith = (salt: Buffer, ventId: bigint, voice: Voice, speakerId: Buffer) =>
    Buffer.concat([salt, hmac(key, salt, String(ventId), voice, speakerId)]).subarray(0, keyBytes);
  return {
    makeKey: (...of) => keyWith(randomBytes(saltBytes), ...of),
    isAmong: (known, ...of) => known.some((one) => one.equals(keyWith(one.subarray(0, saltBytes), ...of))),
  };
}
