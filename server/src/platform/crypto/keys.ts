import { createHmac } from 'node:crypto';
import type { KeyLabel, LastingLabel, TurningLabel } from './key-labels.ts';

/** A random key of one use and age (docs/keys.md). */
export interface DataKey {
  readonly label: KeyLabel;
  /** Counts from 1. */
  readonly no: number;
  readonly bytes: Buffer;
  /** Every process has read it: what it closes is opened everywhere. */
  readonly isSettled: boolean;
}

export type NewKey = Omit<DataKey, 'isSettled'>;

/** For the operator, in one line. */
export class DataKeyError extends Error {}

/** The first closes. It is tried first; then the others, newest first. */
export type Ring = readonly [Buffer, ...Buffer[]];

export interface Keys {
  of(label: LastingLabel): Buffer;
  /** The same array until a key is added. */
  ring(label: TurningLabel): Ring;
  /** Newest first. One, but for databases that had several master keys before there were data keys. */
  ofNumbers(
    label: 'phone-salt/1' | 'phone-index/1' | 'phone-wrap/1',
  ): readonly { readonly id: number; readonly key: Buffer }[];
}

export function createKeys(found: readonly DataKey[]): Keys & { replace(found: readonly DataKey[]): void } {
  let newestFirst = new Map<string, readonly DataKey[]>();
  let rings = new Map<string, Ring>();
  function replace(given: readonly DataKey[]): void {
    newestFirst = Map.groupBy(
      given.toSorted((a, b) => b.no - a.no),
      ({ label }) => label,
    );
    rings = new Map();
  }
  function allOf(label: KeyLabel): readonly DataKey[] {
    const all = newestFirst.get(label);
    if (!all) throw new Error(`${label} has no data key`);
    return all;
  }
  replace(found);
  return {
    replace,
    of: (label) => (allOf(label).at(-1) as DataKey).bytes,
    ring(label) {
      const made = rings.get(label);
      if (made) return made;
      const all = allOf(label);
      const closing = all.find(({ isSettled }) => isSettled) ?? all.at(-1);
      const others = all.filter((key) => key !== closing);
      const ring: Ring = [(closing as DataKey).bytes, ...others.map(({ bytes }) => bytes)];
      rings.set(label, ring);
      return ring;
    },
    ofNumbers: (label) => allOf(label).map(({ no, bytes }) => ({ id: no, key: bytes })),
  };
}

/** Made from a ring when it is first needed, and again when the ring has another key. */
export function perRing<T>(keys: Pick<Keys, 'ring'>, label: TurningLabel, make: (ring: Ring) => T): () => T {
  let made: { readonly value: T; readonly ring: Ring } | undefined;
  return () => {
    const ring = keys.ring(label);
    if (made?.ring !== ring) made = { value: make(ring), ring };
    return made.value;
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
