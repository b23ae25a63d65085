import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { hmac, type Keys } from '../platform/keys.ts';

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

export interface PhoneIndexEntry {
  readonly keyId: number;
  /** The keys it was wrapped with since, in that order. */
  readonly wrappedBy: readonly number[];
  readonly idx: Buffer;
}

export interface PhoneIndex {
  /** The keys this process holds. */
  readonly keyIds: readonly number[];
  /**
   * Every way a number may stand in the table; the first is the one to write. Slow on purpose: only called after
   * a correct code.
   */
  entriesOf(phone: string): Promise<readonly [PhoneIndexEntry, ...PhoneIndexEntry[]]>;
  /** What a row becomes when the newest key is put around it. */
  wrap(entry: PhoneIndexEntry): PhoneIndexEntry;
}

/**
 * Keyed and slow: whoever steals the table can do nothing without the key, and with the key still
 * needs years for the 4 billion numbers India could have.
 */
export function createPhoneIndex(keys: Keys, cost: number): PhoneIndex {
  const salts = keys.every('phone-salt/1');
  const indexKeys = keys.every('phone-index/1');
  const wrapKeys = new Map(keys.every('phone-wrap/1').map(({ id, key }) => [id, key]));
  const newest = keys.current('phone-index/1').id;
  const slots = createSlots(2);

  function wrapWith(id: number, entry: PhoneIndexEntry): PhoneIndexEntry {
    const key = wrapKeys.get(id);
    if (!key) throw new Error('no such key in the ring');
    return { ...entry, wrappedBy: [...entry.wrappedBy, id], idx: hmac(key, entry.idx) };
  }

  /** A row may have been there through any of the wrappings that came after its key. */
  function everyWrapping(plain: PhoneIndexEntry): PhoneIndexEntry[] {
    const later = [...wrapKeys.keys()].filter((id) => id > plain.keyId).toSorted((a, b) => a - b);
    return later.reduce((ways, id) => [...ways, ...ways.map((way) => wrapWith(id, way))], [plain]);
  }

  return {
    keyIds: indexKeys.map(({ id }) => id),
    wrap: (entry) => wrapWith(newest, entry),
    entriesOf: (phone) =>
      slots(async () => {
        const plain = await Promise.all(
          indexKeys.map(async ({ id, key }, position) => {
            const salt = salts[position]?.key ?? Buffer.alloc(0);
            const slow = await scryptAsync(phone, salt, 32, {
              N: 2 ** cost,
              r: 8,
              p: 1,
              maxmem: 64 * 1024 * 1024,
            });
            return { keyId: id, wrappedBy: [], idx: hmac(key, slow) };
          }),
        );
        const [first, ...others] = plain.flatMap(everyWrapping);
        if (!first) throw new Error('the key ring is empty');
        return [first, ...others];
      }),
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
