/** Random numbers of a distribution, from a source that is even between 0 and 1. */
type Random = () => number;

export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

export function poisson(random: Random, mean: number): number {
  let [count, product] = [0, random()];
  for (const limit = Math.exp(-mean); product > limit; product *= random()) count += 1;
  return count;
}
