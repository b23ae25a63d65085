import { randomInt } from 'node:crypto';

/** In [0, 1), cryptographically secure: for orders that must reveal nothing. */
export const secureRandom = () => randomInt(2 ** 47) / 2 ** 47;

/** Fisher-Yates. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
