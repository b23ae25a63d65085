import { smallestCount } from '@unsaid/contract';

/** Small counts could be about one person, so they are not published, and cannot be computed from what is. */

const isSmall = (count: number) => count > 0 && count < smallestCount;

/** Null for 1 to 4. */
export function publishCount(count: number): number | null {
  return isSmall(count) ? null : count;
}

export interface PublishedParts<Name> {
  /** Largest first. */
  readonly shown: readonly { readonly name: Name; readonly count: number }[];
  /** All the other names together. Null where the total itself is 1 to 4. */
  readonly rest: number | null;
}

/**
 * Splits a total into its parts. Names below five go into one sum together with those at zero, so that it does not even
 * show which of them occurred. Where that sum would tell a small count, the smallest shown counts join it: where it is
 * below five itself, or so large that each of its names must be four. Equal counts join together, so the sum depends on
 * the counts and not on their names: any two of its names could be swapped, and nobody can tell which has which.
 */
export function publishParts<Name extends string>(
  names: readonly Name[],
  counts: ReadonlyMap<string, number>,
): PublishedParts<Name> {
  const cells = names
    .map((name) => ({ name, count: counts.get(name) ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
  const total = cells.reduce((sum, cell) => sum + cell.count, 0);
  if (isSmall(total)) return { shown: [], rest: null };
  let shown = cells.filter((cell) => cell.count >= smallestCount);
  const rest = () => total - shown.reduce((sum, cell) => sum + cell.count, 0);
  const isTelling = () =>
    isSmall(rest()) || (rest() > 0 && rest() === (names.length - shown.length) * (smallestCount - 1));
  while (shown.length > 0 && isTelling()) {
    const smallest = shown.at(-1)?.count;
    shown = shown.filter((cell) => cell.count !== smallest);
  }
  return { shown, rest: rest() };
}
