/** A seeded random generator, and statistics that tell a signal from chance. */

export type Seeded = ReturnType<typeof seeded>;

export function seeded(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    shuffle: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item),
  };
}

/**
 * Area under the ROC curve: how often a value of the first list is larger than one of the others. .5 means no
 * difference.
 */
export function areaUnderCurve(first: readonly number[], others: readonly number[]): number {
  const ranked = others.toSorted((a, b) => a - b);
  let wins = 0;
  for (const value of first) {
    for (const other of ranked) {
      if (other > value) break;
      wins += other < value ? 1 : 0.5;
    }
  }
  return wins / (first.length * others.length);
}

/** Five standard deviations of a share counted in `tries` attempts: chance exceeds it once in three million. */
export const fiveSigma = (share: number, tries: number): number =>
  5 * Math.sqrt((share * (1 - share)) / Math.max(1, tries));

/** Rare, independent events with this mean are more than this once in ten million times, in any of the tries together. */
export function mostByChance(mean: number, tries = 1): number {
  let [count, share] = [0, Math.exp(-mean)];
  let atMost = share;
  while (1 - atMost > 1e-7 / tries) {
    count += 1;
    share *= mean / count;
    atMost += share;
  }
  return count;
}

/** By how many standard deviations a value exceeds the mean of the chance values. */
export function above(observed: number, byChance: readonly number[]): number {
  const mean = byChance.reduce((sum, one) => sum + one, 0) / byChance.length;
  const variance = byChance.reduce((sum, one) => sum + (one - mean) ** 2, 0) / byChance.length;
  if (observed <= mean) return 0;
  return variance === 0 ? Infinity : (observed - mean) / Math.sqrt(variance);
}
