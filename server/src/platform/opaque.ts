import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { hmac, type Keys } from './keys.ts';

/**
 * What goes into Redis goes under names and in forms that only the master key can read. Counters and
 * caches carry the instant of a person's last call: if their names could be matched with rows of
 * Postgres, whoever held a copy of both would know who was there when a vent was written.
 */
export interface Opaque {
  /** A name that says nothing about what it stands for. */
  name(kind: string, subject: Buffer | string): string;
  /** The same for what is kept in Postgres for a while. */
  mark(...fields: readonly (string | Buffer)[]): Buffer;
  encrypt(value: unknown): string;
  /** Undefined where this key did not write it. */
  decrypt(text: string): unknown;
}

export function createOpaque(keys: Keys): Opaque {
  const nameKey = keys.current('redis/1').key;
  const markKey = keys.lasting('mark/1');
  const valueKey = keys.current('redis-value/1').key;
  return {
    name: (kind, subject) => hmac(nameKey, kind, subject).subarray(0, 18).toString('base64url'),
    mark: (...fields) => hmac(markKey, ...fields),
    encrypt(value) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', valueKey, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    decrypt(text) {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', valueKey, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return JSON.parse(
          Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'),
        );
      } catch {
        return undefined;
      }
    },
  };
}
