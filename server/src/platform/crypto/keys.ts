import { createHmac, hkdfSync } from 'node:crypto';

export interface MasterKey {
  readonly id: number;
  readonly bytes: Buffer;
  /** Leaked, or no longer needed for what is short-lived. It still finds numbers, and ids stay derived from it. */
  readonly isRetired?: boolean;
}

/** The HKDF info. Each use has a label of its own, so that no key serves two purposes. */
type KeyLabel = `${string}/${number}` | `person/${string}/${number}` | `log/${string}`;

export interface Keys {
  /** The first key of the ring, for new rows. */
  current(label: KeyLabel): { readonly id: number; readonly key: Buffer };
  /**
   * For values that live for minutes: the first key makes them, each key opens them. So during a rotation processes whose
   * rings have another key first accept each other's. Without retired keys.
   */
  shortLived(label: KeyLabel): readonly [Buffer, ...Buffer[]];
  /** All keys, newest first: for finding what an older key made. */
  every(label: KeyLabel): readonly { readonly id: number; readonly key: Buffer }[];
  /** The oldest key of the ring. Public ids, keys stored in rows and names in Redis are derived from it and never change. */
  permanent(label: KeyLabel): Buffer;
}

export function createKeys(ring: readonly MasterKey[]): Keys {
  const derived = new Map<string, Buffer>();
  function derive(master: MasterKey, label: KeyLabel): Buffer {
    const cacheKey = `${master.id} ${label}`;
    let key = derived.get(cacheKey);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', master.bytes, '', `unsaid ${label}`, 32));
      derived.set(cacheKey, key);
    }
    return key;
  }
  const newest = ring[0];
  const oldest = ring.toSorted((a, b) => a.id - b.id)[0];
  if (!newest || !oldest) throw new Error('the master key ring is empty');
  return {
    current: (label) => ({ id: newest.id, key: derive(newest, label) }),
    shortLived: (label) => [
      derive(newest, label),
      ...ring
        .filter((master) => master !== newest && master.isRetired !== true)
        .map((master) => derive(master, label)),
    ],
    every: (label) => ring.map((master) => ({ id: master.id, key: derive(master, label) })),
    permanent: (label) => derive(oldest, label),
  };
}

/** HMAC-SHA-256. Fields are length-prefixed, so that no two lists of fields give the same input. */
export function hmac(key: Buffer, ...fields: readonly (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const field of fields) {
    const bytes = typeof field === 'string' ? Buffer.from(field) : field;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}
