import { createHmac, hkdfSync } from 'node:crypto';
import type { MasterKey } from '../config.ts';

/** Each use of a key has its own label, so that no key serves two purposes. */
type KeyLabel = `${string}/${number}` | `person/${string}/${number}` | `log/${string}`;

export interface Keys {
  /** For what may change with a rotation: short-lived values, new rows. */
  current(label: KeyLabel): { readonly id: number; readonly key: Buffer };
  /** Newest first: for finding what an older key made. */
  every(label: KeyLabel): readonly { readonly id: number; readonly key: Buffer }[];
  /** The first key the ring ever had: ids and sealed keys stay with it for good. */
  lasting(label: KeyLabel): Buffer;
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
  if (!newest || !oldest) throw new Error('the key ring is empty');
  return {
    current: (label) => ({ id: newest.id, key: derive(newest, label) }),
    every: (label) => ring.map((master) => ({ id: master.id, key: derive(master, label) })),
    lasting: (label) => derive(oldest, label),
  };
}

/** Fields are length-prefixed, so that no two lists of fields give the same bytes. */
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
