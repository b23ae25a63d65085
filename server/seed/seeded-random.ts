/** A deterministic generator (mulberry32): a seed gives the same data on every machine. Never for secrets. */
export interface SeededRandom {
  /** In [0, 1). */
  next(): number;
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  /** A heavy-tailed distribution: small numbers often, large ones rarely, as with popularity. */
  skewed(mean: number): number;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    skewed: (mean) => Math.floor((mean / 4) * (1 / (next() + 0.0005) ** 0.9 - 0.98)),
  };
}
