import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { hmac, type Keys } from '../platform/keys.ts';

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

export interface PhoneIndexEntry {
  readonly keyId: number;
  readonly idx: Buffer;
}

export interface PhoneIndex {
  /** What is stored for a number, newest key first. Slow on purpose: only called after a correct code. */
  entriesOf(phone: string): Promise<readonly PhoneIndexEntry[]>;
}

/**
 * Keyed and slow: whoever steals the table can do nothing without the key, and with the key still
 * needs years for the 4 billion numbers India could have.
 */
export function createPhoneIndex(keys: Keys, cost: number): PhoneIndex {
  const salts = keys.every('phone-salt/1');
  const indexKeys = keys.every('phone-index/1');
  const slots = createSlots(2);
  return {
    entriesOf: (phone) =>
      slots(() =>
        Promise.all(
          indexKeys.map(async ({ id, key }, position) => {
            const salt = salts[position]?.key ?? Buffer.alloc(0);
            const slow = await scryptAsync(phone, salt, 32, {
              N: 2 ** cost,
              r: 8,
              p: 1,
              maxmem: 64 * 1024 * 1024,
            });
            return { keyId: id, idx: hmac(key, slow) };
          }),
        ),
      ),
  };
}

/** At most `count` at once: each holds 32 MiB and a thread of the pool. */
function createSlots(count: number) {
  const queue: (() => void)[] = [];
  let free = count;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
