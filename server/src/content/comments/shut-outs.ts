import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { Voice } from '../../kernel/speakers.ts';

/**
 * The key of a voice that a vent is closed to: one name, or one Anonymous. It is another one on every vent and for every
 * voice of a person, so no two closings can be linked. Being closed out under a name says nothing about Anonymous: if it
 * did, an author could see whose name falls silent together with which Anonymous.
 */
export type ShutOutKey = (ventId: bigint, voice: Voice, speakerId: Buffer) => Buffer;

const keyBytes = 16;

export function createShutOutKey(keys: Keys): ShutOutKey {
  const key = keys.permanent('shut-out/1');
  return (ventId, voice, speakerId) => hmac(key, String(ventId), voice, speakerId).subarray(0, keyBytes);
}
