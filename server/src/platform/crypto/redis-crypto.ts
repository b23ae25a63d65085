import { padToMultiple } from '../padding.ts';
import { tagOfByte } from '../slots.ts';
import { createKeyAead } from './aead.ts';
import { hmac, type Keys } from './keys.ts';

/**
 * Keyed hashes and encryption for Redis. Counters and caches hold the time of a person's last call. If their names could
 * be joined with rows of PostgreSQL, a copy of both would show who was online when a vent was written.
 */
export type RedisCrypto = ReturnType<typeof createRedisCrypto>;

interface Counter {
  readonly name: string;
  readonly mask: number;
}

/** Names of counters kept in memory: the hash costs a tenth of a cached feed page. */
const maxCounters = 4096;

export function createRedisCrypto(keys: Keys) {
  const nameKey = keys.of('redis/1');
  const counterKey = keys.of('redis-counter/1');
  const counters = new Map<string, Counter>();
  const aead = createKeyAead(keys, 'redis-value/1');
  return {
    /** A key name: a keyed hash of the subject. Its key never turns, or turning would reset the limits. */
    keyedHash: (kind: string, subject: Buffer | string) =>
      hmac(nameKey, kind, subject).subarray(0, 18).toString('base64url'),
    /** A key name, after the tag of its slot, for a counter whose value is a time, with a mask to add to that value: up to 35 years in milliseconds. */
    counter(kind: string, subject: Buffer | string): Counter {
      const asked = `${kind} ${typeof subject === 'string' ? `s${subject}` : `b${subject.toString('base64')}`}`;
      const known = counters.get(asked);
      if (known) return known;
      const bytes = hmac(counterKey, kind, subject);
      const name = `${tagOfByte(bytes.readUInt8())}${bytes.toString('base64url', 0, 18)}`;
      const counter = { name, mask: bytes.readUIntBE(18, 5) };
      if (counters.size >= maxCounters) counters.clear();
      counters.set(asked, counter);
      return counter;
    },
    /** `padTo`: the length is a multiple of it, where the length of the JSON would tell something. */
    encrypt: (value: unknown, padTo = 1) =>
      aead.seal(Buffer.from(padToMultiple(JSON.stringify(value), padTo))).toString('base64url'),
    /** Undefined if it was not encrypted with this key. */
    decrypt(text: string): unknown {
      const plain = aead.open(Buffer.from(text, 'base64url'));
      return plain ? JSON.parse(plain.toString('utf8')) : undefined;
    },
  };
}
