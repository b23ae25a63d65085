/** Most people are found out by the first question; the rest is for those who say very much. */
const firstPlaces = [
  ...Array.from({ length: 16 }, (_, n) => n + 1),
  ...Array.from({ length: 27 }, (_, n) => 2 ** (n + 5)),
];
const placesAtOnce = 32;

/** Places between two, evenly, without the two. */
function between(last: number, free: number): number[] {
  const step = Math.ceil((free - last) / (placesAtOnce + 1));
  const places: number[] = [];
  for (let place = last + step; place < free; place += step) places.push(place);
  return places;
}

/**
 * The last place that is taken, 0 where none is. Places are taken one after the other and never given back, so of
 * those asked about it is always the first few that are: how many says which.
 */
export async function findLastTaken(
  countTaken: (places: readonly number[]) => Promise<number>,
): Promise<number> {
  let last = 0;
  let free = 2 ** 32;
  for (let asked = firstPlaces; asked.length > 0; asked = between(last, free)) {
    const taken = await countTaken(asked);
    last = asked[taken - 1] ?? last;
    free = asked[taken] ?? free;
  }
  return last;
}
