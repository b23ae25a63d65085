import { hash } from 'node:crypto';

/**
 * Slots of a Redis Cluster. A command may touch keys of one slot only, and keys with the same hash tag (`{a7}`) share one.
 * A tag is 8 bits of a name that stands in the key or in its value anyway, so it tells nothing new. A tag made of a person
 * would join what is kept apart.
 */

export const slotTag = (name: string): string =>
  tagOfByte(Number.parseInt(hash('sha1', name).slice(0, 2), 16));

/** Of the first byte of a keyed hash, where its bytes are at hand. */
export const tagOfByte = (byte: number): string => `{${byte.toString(16).padStart(2, '0')}}`;

export const allTags: readonly string[] = Array.from({ length: 256 }, (_, byte) => tagOfByte(byte));

/** What decides the slot of a key: its tag, or else the whole key. */
export function slotPartOf(key: string): string {
  const from = key.indexOf('{');
  const to = key.indexOf('}', from + 1);
  return from >= 0 && to > from + 1 ? key.slice(from + 1, to) : key;
}

/** Groups whose keys may be in one command. */
export function groupBySlotPart<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = Map.groupBy(items, (item) => slotPartOf(keyOf(item)));
  return [...groups.values()];
}
