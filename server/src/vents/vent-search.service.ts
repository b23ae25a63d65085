import { emotions as allEmotions } from '@unsaid/contract';
import type { ContentDb } from '../platform/db.ts';
import type { LimitOffset } from './feed.queries.ts';
import { andQuery } from './search-terms.ts';
import * as queries from './vent-search.queries.ts';

/**
 * A query planner with two access paths. A newest-first scan is fast for frequent words: it costs the rows between
 * hits. The GIN index is fast for rare words, but returns matches unordered: it gathers every vent with the word, and
 * for several words every vent with any of them. A sample of the newest rows estimates the frequency of each word and
 * picks the path. For frequent words the sample alone may fill the page.
 */

const sampleSize = 2000;
/** In more than one vent of 200. Next to a rarer word, a frequent one is checked on the rows that the index finds. */
const frequentThreshold = sampleSize / 200;
const scanBatch = 10_000;
/** For each term: beyond this many rows the index is faster. */
const maxScanPerTerm = 60_000;

interface Search extends queries.SearchFilter {
  /** Null starts with the newest. */
  readonly beforeId: bigint | null;
}

export async function searchNewest(
  db: ContentDb,
  { beforeId, ...filter }: Search,
  { limit, offset }: LimitOffset,
): Promise<bigint[]> {
  const { terms, emotions } = filter;
  const before = beforeId === null ? queries.startOfFeed : await queries.findCursor(db, beforeId);
  if (!before) return [];
  const enough = offset + limit;
  const { ids: found, counts, last } = await sample(db, filter, before, enough);
  let cursor = last;
  // Underestimates by one hit, because one may be luck. Assumes that words are independent, which overestimates the
  // distance for related words. The counts of several words leave out the emotions, which are taken as equally frequent.
  const rowsPerVent = emotions && terms.length > 1 ? allEmotions.length / emotions.length : 1;
  const rowsPerHit = counts.reduce(
    (rows, count) => (rows * sampleSize) / Math.max(0, count - 1),
    rowsPerVent,
  );
  let distance = (enough - found.length) * rowsPerHit;
  for (
    let scanned = sampleSize;
    cursor && found.length < enough && distance <= maxScanPerTerm * terms.length;
  ) {
    const batch = await queries.scanNewest(db, filter, cursor, {
      limit: scanBatch,
      enough: enough - found.length,
    });
    found.push(...batch.ids);
    cursor = batch.last;
    scanned += scanBatch;
    distance = (enough - found.length) * (scanned / found.length);
  }
  if (cursor && found.length < enough)
    found.push(...(await queryIndex(db, { ...filter, counts, before: cursor }, enough - found.length)));
  return found.slice(offset, enough);
}

/** With one term, the number of hits is its count. With several, each is counted on its own. */
async function sample(
  db: ContentDb,
  filter: queries.SearchFilter,
  before: queries.VentCursor,
  enough: number,
): Promise<queries.SampleResult> {
  if (filter.terms.length > 1) return queries.sampleNewest(db, filter, before, sampleSize);
  const { ids, last } = await queries.scanNewest(db, filter, before, { limit: sampleSize, enough });
  return { ids, last, counts: [ids.length] };
}

interface IndexQuery extends queries.SearchFilter {
  readonly counts: readonly number[];
  readonly before: queries.VentCursor;
}

async function queryIndex(
  db: ContentDb,
  { terms, emotions, counts, before }: IndexQuery,
  limit: number,
): Promise<bigint[]> {
  const { rare = [], frequent = [] } = Object.groupBy(terms, (_, position) =>
    (counts[position] ?? 0) < frequentThreshold ? 'rare' : 'frequent',
  );
  const filter =
    rare.length > 0 && frequent.length > 0
      ? { indexed: andQuery(rare), rest: andQuery(frequent), before, emotions }
      : { indexed: andQuery(terms), rest: null, before, emotions };
  return queries.searchIndex(db, filter, limit);
}
