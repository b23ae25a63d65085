import { createSessionStore } from './store.ts';

/** Ids of the comments that were on screen, by vent. The inbox then has nothing new to say of them. */
const read = createSessionStore<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

export const getReadComments = read.get;

export function addReadComments(ventId: string, ids: readonly string[]): void {
  const before = read.get().get(ventId);
  if (ids.every((id) => before?.has(id))) return;
  read.set(new Map([...read.get(), [ventId, new Set([...(before ?? []), ...ids])]]));
}
