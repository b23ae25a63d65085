import type { ContentDb } from '../platform/db.ts';
import { allOf } from './search-words.ts';
import * as queries from './vents.queries.ts';

/**
 * The newest vents with all of certain words. There are two ways, each quick where the other is slow. Walking from the
 * newest on costs as much as there lies between hits. The index of words knows no order: it gathers every vent that
 * holds a word, and asked for several at once every vent that holds any of them. So the newest few are looked at
 * first. They may be enough, and they tell how frequent each word is.
 */

const lookedAt = 2000;
/** In more than one vent of two hundred: beside a rarer word it is held against what that one finds. */
const frequent = lookedAt / 200;
const stride = 10_000;
/** For each word: beyond this many vents the index is quicker. */
const farthest = 60_000;

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
  const { ids: found, counts, last } = await look(db, words, before, enough);
  let place = last;
  // One less than were seen: a single one may be chance. As if each word kept to itself; those of one subject come together.
  const perHit = counts.reduce((far, count) => (far * lookedAt) / Math.max(0, count - 1), 1);
  let distance = (enough - found.length) * perHit;
  for (let passed = lookedAt; place && found.length < enough && distance <= farthest * words.length;) {
    const step = await queries.walk(db, words, place, { limit: stride, enough: enough - found.length });
    found.push(...step.ids);
    place = step.last;
    passed += stride;
    distance = (enough - found.length) * (passed / found.length);
  }
  if (place && found.length < enough)
    found.push(...(await askIndex(db, { words, counts, before: place }, enough - found.length)));
  return found.slice(offset, enough);
}

/** One word is as frequent as its hits; of several each is counted. */
async function look(
  db: ContentDb,
  words: readonly string[],
  before: queries.Place,
  enough: number,
): Promise<queries.Look> {
  if (words.length > 1) return queries.lookAtNewest(db, words, before, lookedAt);
  const { ids, last } = await queries.walk(db, words, before, { limit: lookedAt, enough });
  return { ids, last, counts: [ids.length] };
}

interface Question {
  readonly words: readonly string[];
  readonly counts: readonly number[];
  readonly before: queries.Place;
}

async function askIndex(
  db: ContentDb,
  { words, counts, before }: Question,
  limit: number,
): Promise<bigint[]> {
  const { rare = [], often = [] } = Object.groupBy(words, (_, position) =>
    (counts[position] ?? 0) < frequent ? 'rare' : 'often',
  );
  const filter =
    rare.length > 0 && often.length > 0
      ? { indexed: allOf(rare), rest: allOf(often), before }
      : { indexed: allOf(words), rest: null, before };
  return queries.searchIds(db, filter, limit);
}
