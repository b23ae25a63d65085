import type { ReactionCounts, ReactionType } from '@unsaid/contract';
import type { ChangedReaction, ReactionChange } from './reactions.queries.ts';

/** What two changes, one after the other, do together. Null for nothing: two toggles. */
function followedBy(first: ReactionChange | null, then: ReactionChange): ReactionChange | null {
  if (then !== 'toggle' || first === null) return then;
  return first === 'toggle' ? null : first === 'set' ? 'clear' : 'set';
}

/** One change for each key, with the effect of all changes in their order. */
export function mergeChanges<T extends ChangedReaction>(changes: readonly T[]): T[] {
  const merged = new Map<string, { readonly item: T; readonly change: ReactionChange | null }>();
  for (const item of changes) {
    const key = item.reactorKey.toString('hex');
    merged.set(key, { item, change: followedBy(merged.get(key)?.change ?? null, item.change) });
  }
  return [...merged.values()].flatMap(({ item, change }) => (change === null ? [] : [{ ...item, change }]));
}

/** What the author of a vent sees: the stored counts are those of others. */
export function withOwn(
  { heart, hug, listen }: ReactionCounts,
  own: readonly ReactionType[],
): ReactionCounts {
  const counts = { heart, hug, listen };
  for (const kind of own) counts[kind] += 1;
  return counts;
}
