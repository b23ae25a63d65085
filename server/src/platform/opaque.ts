import { createBox } from './boxes.ts';
import { hmac, type Keys } from './keys.ts';

/**
 * What goes into Redis goes under names and in forms that only the master key can read. Counters and
 * caches carry the instant of a person's last call: if their names could be matched with rows of
 * Postgres, whoever held a copy of both would know who was there when a vent was written.
 */
export interface Opaque {
  /** A name that says nothing about what it stands for. */
  name(kind: string, subject: Buffer | string): string;
  /** The same for a counter whose value is a time, with a number to hide that behind: 35 years in milliseconds. */
  counter(kind: string, subject: Buffer | string): { readonly name: string; readonly mask: number };
  encrypt(value: unknown): string;
  /** Undefined where this key did not write it. */
  decrypt(text: string): unknown;
}

export function createOpaque(keys: Keys): Opaque {
  const nameKey = keys.current('redis/1').key;
  const counterKey = keys.current('redis-counter/1').key;
  const box = createBox(keys.current('redis-value/1').key);
  return {
    name: (kind, subject) => hmac(nameKey, kind, subject).subarray(0, 18).toString('base64url'),
    counter(kind, subject) {
      const bytes = hmac(counterKey, kind, subject);
      return { name: bytes.toString('base64url', 0, 18), mask: bytes.readUIntBE(18, 5) };
    },
    encrypt: (value) => box.seal(Buffer.from(JSON.stringify(value))).toString('base64url'),
    decrypt(text) {
      const plain = box.open(Buffer.from(text, 'base64url'));
      return plain ? JSON.parse(plain.toString('utf8')) : undefined;
    },
  };
}
