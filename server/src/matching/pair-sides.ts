import type { PairColumns, PairDetails } from './pair-details.ts';

/** The same pair under other keys. They may be in the other order: then the sides change places. */
export function withKeys<D extends PairDetails | null>(
  { isAskedByA, week }: Pick<PairColumns, 'isAskedByA' | 'week'>,
  details: D,
  [one, other]: readonly [Buffer, Buffer],
): { readonly columns: PairColumns; readonly details: D } {
  if (one.compare(other) < 0) return { columns: { aKey: one, bKey: other, isAskedByA, week }, details };
  return {
    columns: { aKey: other, bKey: one, isAskedByA: !isAskedByA, week },
    details: details && { ...details, a: details.b, b: details.a },
  };
}
