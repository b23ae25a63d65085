export const maxBatch = 1000;

/** Half as many again, to make up for deleted items. */
export const withGaps = (wanted: number) => Math.ceil(wanted * 1.5);

/** Numbers downwards from the highest, in growing batches: few steps even across large gaps. */
export function* descendingBatches(
  highest: number,
  first: number,
  { growth = 2, max = maxBatch } = {},
): Generator<number[]> {
  let size = Math.min(first, max);
  for (let from = highest; from > 0; from -= size, size = Math.min(size * growth, max)) {
    yield Array.from({ length: Math.min(size, from) }, (_, n) => from - n);
  }
}
