import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';

const prefix = 'uns_';
const randomLength = 32;
const checksumLength = 6;

/** A random token, and after it a keyed checksum: an invented one is refused before any store is asked. */
export function createSessionTokens(keys: Keys) {
  const key = keys.of('token-check/1');
  const checksum = (secret: Buffer) => hmac(key, secret).subarray(0, checksumLength);
  return {
    make(): string {
      const secret = randomBytes(randomLength);
      return prefix + Buffer.concat([secret, checksum(secret)]).toString('base64url');
    },
    isGenuine(token: string): boolean {
      const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
      if (bytes.length !== randomLength + checksumLength) return false;
      const [secret, check] = [bytes.subarray(0, randomLength), bytes.subarray(randomLength)];
      return timingSafeEqual(check, checksum(secret));
    },
  };
}
