import { createHmac, hkdfSync } from 'node:crypto';
import { keyLabels, type KeyLabel, type LayeredColumn } from './key-labels.ts';

export interface MasterKey {
  readonly id: number;
  readonly bytes: Buffer;
  /** Leaked, or no longer needed for what is short-lived. It still finds numbers. */
  readonly isRetired?: boolean;
}

/** A key that leaked, and the one that took its place for all that is stored. */
export interface ReplacedKey {
  readonly id: number;
  readonly replacedBy: number;
  /** Its sessions are not ended yet. */
  readonly hasSessions?: boolean;
}

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
  /** The oldest key of the ring, or what replaced it after a leak: for what is stored. */
  permanent(label: KeyLabel): Buffer;
  /**
   * The permanent key and those that may replace it: for opening what names its key by a check. A process reads what a
   * replacement has sealed for the seconds until it knows of it.
   */
  accepted(label: KeyLabel): readonly [Buffer, ...Buffer[]];
  /** The permanent key, and replaced ones whose sessions are not ended yet. */
  ofSessions(label: KeyLabel): readonly [Buffer, ...Buffer[]];
  /** The oldest key, replaced or not: for layered values, whose layers are the keys that came after it. */
  original(label: KeyLabel): Buffer;
  /** A key for each replacement, oldest first. None where no key ever leaked. */
  layers(column: LayeredColumn): readonly Buffer[];
  /** Whose turn it is: the ids of the oldest key and of those that replaced it. */
  readonly chain: readonly [number, ...number[]];
  /** Grows with each replacement: what was derived before is derived again (`perGeneration`). */
  readonly generation: number;
  /** False where the ring lacks a key that is in use. Nothing changes then. */
  follow(replaced: readonly ReplacedKey[]): boolean;
}

export function createKeys(ring: readonly MasterKey[]): Keys {
  const derived = new Map<string, Buffer>();
  function deriveAs(master: MasterKey, info: string): Buffer {
    const cacheKey = `${master.id} ${info}`;
    let key = derived.get(cacheKey);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', master.bytes, '', `unsaid ${info}`, 32));
      derived.set(cacheKey, key);
    }
    return key;
  }
  function derive(master: MasterKey, label: KeyLabel): Buffer {
    if (!Object.hasOwn(keyLabels, label)) throw new Error(`${label} is not in key-labels.ts`);
    return deriveAs(master, label);
  }
  const newest = ring[0];
  const ascending = ring.toSorted((a, b) => a.id - b.id);
  const oldest = ascending[0];
  if (!newest || !oldest) throw new Error('the master key ring is empty');
  let chain: readonly MasterKey[] = [oldest];
  let withSessions: readonly MasterKey[] = [];
  let generation = 0;
  const inForce = () => chain.at(-1) ?? oldest;
  const successors = () => ascending.filter((key) => key.id > inForce().id && key.isRetired !== true);

  function chainOf(replaced: readonly ReplacedKey[]): MasterKey[] | null {
    const keys = [oldest as MasterKey];
    for (;;) {
      const last = keys.at(-1) as MasterKey;
      const next = replaced.find(({ id }) => id === last.id);
      if (!next) return keys;
      // A newer one each time, so it ends.
      const key = ascending.find(({ id }) => id === next.replacedBy && id > last.id);
      if (!key) return null;
      keys.push(key);
    }
  }

  return {
    current: (label) => ({ id: newest.id, key: derive(newest, label) }),
    shortLived: (label) => [
      derive(newest, label),
      ...ring
        .filter((master) => master !== newest && master.isRetired !== true)
        .map((master) => derive(master, label)),
    ],
    every: (label) => ring.map((master) => ({ id: master.id, key: derive(master, label) })),
    permanent: (label) => derive(inForce(), label),
    accepted: (label) => [derive(inForce(), label), ...successors().map((key) => derive(key, label))],
    ofSessions: (label) => [derive(inForce(), label), ...withSessions.map((key) => derive(key, label))],
    original: (label) => derive(oldest, label),
    layers: (column) => chain.slice(1).map((key) => deriveAs(key, `layer ${column}`)),
    get chain() {
      return [oldest.id, ...chain.slice(1).map(({ id }) => id)] as const;
    },
    get generation() {
      return generation;
    },
    follow(replaced) {
      const next = chainOf(replaced);
      if (!next) return false;
      const remaining = next
        .slice(0, -1)
        .filter(({ id }) => replaced.find((one) => one.id === id)?.hasSessions);
      if (next.length !== chain.length || remaining.length !== withSessions.length) {
        chain = next;
        withSessions = remaining;
        generation += 1;
      }
      return true;
    },
  };
}

/** Made from keys when it is first needed, and again after a replacement. */
export function perGeneration<T>(keys: Pick<Keys, 'generation'>, make: () => T): () => T {
  let made: { readonly value: T; readonly generation: number } | undefined;
  return () => {
    if (made?.generation !== keys.generation) made = { value: make(), generation: keys.generation };
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
