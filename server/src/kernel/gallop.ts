/**
 * Galloping search for the highest used index of a sequence without gaps. The first probe covers 1 to 16 and all
 * powers of two, which settles most people in one query. Each later probe narrows the range 33-fold.
 */
const firstProbe = [
  ...Array.from({ length: 16 }, (_, n) => n + 1),
  ...Array.from({ length: 27 }, (_, n) => 2 ** (n + 5)),
];
const probeSize = 32;

/** Evenly spaced indexes between two, both excluded. */
function probeBetween(used: number, free: number): number[] {
  const step = Math.ceil((free - used) / (probeSize + 1));
  const probe: number[] = [];
  for (let index = used + step; index < free; index += step) probe.push(index);
  return probe;
}

/**
 * `atLeast`, 0 by default, where no higher index is used. Indexes have no gaps, so the count of used ones in a probe
 * identifies the boundary.
 */
export async function findHighestUsed(
  countUsed: (indexes: readonly number[]) => Promise<number>,
  atLeast = 0,
): Promise<number> {
  let used = atLeast;
  let free = atLeast + 2 ** 32;
  for (
    let probe = firstProbe.map((index) => index + atLeast);
    probe.length > 0;
    probe = probeBetween(used, free)
  ) {
    const count = await countUsed(probe);
    used = probe[count - 1] ?? used;
    free = probe[count] ?? free;
  }
  return used;
}
