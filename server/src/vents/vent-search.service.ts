import type { ContentDb } from '../platform/db.ts';
import { allOf } from './search-words.ts';
import * as queries from './vents.queries.ts';

/**
 * The newest vents with all of certain words. Asked for several words at once, the index gathers every vent that
 * holds any one of them before it keeps those that hold all: beside a rare word, a frequent one makes it read millions
 * for nothing. So the newest thousand are looked at first. They may be enough, and they tell which words are frequent: those are
 * held against what the others find.
 */

const lookedAt = 1000;
/** In more than one vent of two hundred. */
const frequent = lookedAt / 200;

interface Search {
  /** Tsqueries, all of which must hold. */
  readonly words: readonly string[];
  /** Null begins with the newest. */
  readonly beforeId: bigint | null;
}

export async function findNewestWith(
  db: ContentDb,
  { words, beforeId }: Search,
  { limit, offset }: queries.Slice,
): Promise<bigint[]> {
  const before = beforeId === null ? queries.newestPlace : await queries.findPlace(db, beforeId);
  if (!before) return [];
  const enough = offset + limit;
  const found =
    words.length > 1
      ? await findWithAll(db, words, before, enough)
      : await queries.searchIds(db, { indexed: allOf(words), rest: null, before }, enough);
  return found.slice(offset, enough);
}

async function findWithAll(
  db: ContentDb,
  words: readonly string[],
  before: queries.Place,
  enough: number,
): Promise<bigint[]> {
  const { ids, counts, last } = await queries.lookAtNewest(db, words, before, lookedAt);
  if (ids.length >= enough || last === null) return ids;
  const { rare = [], often = [] } = Object.groupBy(words, (_, position) =>
    (counts[position] ?? 0) < frequent ? 'rare' : 'often',
  );
  const filter =
    rare.length > 0 && often.length > 0
      ? { indexed: allOf(rare), rest: allOf(often), before: last }
      : { indexed: allOf(words), rest: null, before: last };
  return [...ids, ...(await queries.searchIds(db, filter, enough - ids.length))];
}
