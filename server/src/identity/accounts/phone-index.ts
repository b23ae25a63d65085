import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Base } from '../../kernel/base.ts';
import { hmac } from '../../platform/crypto/keys.ts';
import { createSemaphore } from '../../platform/semaphore.ts';

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

export interface PhoneIndexEntry {
  readonly keyId: number;
  /** Ids of the keys that an older release wrapped around it, in that order. The next sign-in removes them. */
  readonly wrappedBy: readonly number[];
  readonly idx: Buffer;
}

/** An entry in the row of its account, with a seal over both. */
export interface StoredEntry extends PhoneIndexEntry {
  readonly userId: bigint;
  readonly seal: Buffer;
}

export type PhoneIndex = ReturnType<typeof createPhoneIndex>;

/**
 * Blind index of phone numbers: HMAC over scrypt. A stolen table is useless without the key, and with the key a search
 * through India's 4 billion possible numbers still takes years.
 */
export function createPhoneIndex({ keys, seals }: Pick<Base, 'keys' | 'seals'>, cost: number) {
  const salts = keys.ofNumbers('phone-salt/1');
  const indexKeys = keys.ofNumbers('phone-index/1');
  const wrapKeys = keys.ofNumbers('phone-wrap/1');
  // Each scrypt call holds 32 MiB and a thread of libuv's pool.
  const semaphore = createSemaphore(2);

  /** Every combination of the later keys: an entry may have missed any of the rotations after its key. */
  function allWrappings(plain: PhoneIndexEntry): PhoneIndexEntry[] {
    const wrapWith = ({ id, key }: (typeof wrapKeys)[number], entry: PhoneIndexEntry) => ({
      ...entry,
      wrappedBy: [...entry.wrappedBy, id],
      idx: hmac(key, entry.idx),
    });
    const later = wrapKeys.filter(({ id }) => id > plain.keyId).toReversed();
    return later.reduce((ways, key) => [...ways, ...ways.map((way) => wrapWith(key, way))], [plain]);
  }

  return {
    seal({ keyId, wrappedBy, idx }: PhoneIndexEntry, userId: bigint): StoredEntry {
      const seal = seals.seal('number', keyId, wrappedBy.join(), idx, userId);
      return { keyId, wrappedBy, idx, userId, seal };
    },

    /** False for a row that was not written by this service. */
    isSealed: ({ keyId, wrappedBy, idx, userId, seal }: StoredEntry): boolean =>
      seals.fits('number', seal, keyId, wrappedBy.join(), idx, userId),

    /** Every entry the number may be stored under; the first is the one to write. Slow (scrypt): only after a correct code. */
    lookupCandidates: (phone: string): Promise<readonly [PhoneIndexEntry, ...PhoneIndexEntry[]]> =>
      semaphore(async () => {
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
        const [first, ...others] = plain.flatMap(allWrappings);
        if (!first) throw new Error('no data key for numbers');
        return [first, ...others];
      }),
  };
}
