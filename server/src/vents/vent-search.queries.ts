import type { Emotion } from '@unsaid/contract';
import { sql } from 'kysely';
import type { ContentDb } from '../platform/db.ts';
import { preparedSql } from '../platform/prepared-sql.ts';
import { andQuery } from './search-terms.ts';

/** Row-value cursor in the order of vents, newest first. The time is text: a `Date` would drop the microseconds. */
export interface VentCursor {
  readonly at: string;
  readonly id: bigint;
}

const cursorOf = (id: bigint | null, at: string): VentCursor | null => (id === null ? null : { id, at });

export const startOfFeed: VentCursor = { at: 'infinity', id: 0n };

export async function findCursor(db: ContentDb, id: bigint): Promise<VentCursor | undefined> {
  const [cursor] = await preparedSql<VentCursor>`
    select id, created_at::text as at from content.vents where id = ${id}`.rows(db);
  return cursor;
}

export interface SearchFilter {
  /** Tsqueries, all of which must match. */
  readonly terms: readonly string[];
  /** Null for all. */
  readonly emotions: readonly Emotion[] | null;
}

export interface SampleResult {
  /** Vents that match all terms, newest first. */
  readonly ids: bigint[];
  /** The number of sampled vents that match each term. */
  readonly counts: number[];
  /** The last vent read. Null where there are no more. */
  readonly last: VentCursor | null;
}

/** Reads the newest `limit` vents: finds those that match all terms, and counts the matches of each term. */
export async function sampleNewest(
  db: ContentDb,
  { terms, emotions }: SearchFilter,
  before: VentCursor,
  limit: number,
): Promise<SampleResult> {
  const [found] = await preparedSql<{
    ids: string[];
    counts: number[];
    lastId: bigint | null;
    lastAt: string;
  }>`
    with newest as materialized (
      select vent_id, created_at, words from content.vent_search
       where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
       order by created_at desc, vent_id desc limit ${limit}
    ), asked as materialized (
      select position, to_tsquery('simple', content.folded(word)) as query
        from unnest(${terms}::text[]) with ordinality as typed (word, position)
    )
    select array(select newest.vent_id from newest join content.vents as vent on vent.id = newest.vent_id
                  where newest.words @@ to_tsquery('simple', content.folded(${andQuery(terms)})) and vent.state = 'visible'
                    and (${emotions}::text[] is null or vent.emotion = any(${emotions}::text[]))
                  order by newest.created_at desc, newest.vent_id desc) as ids,
           array(select (select count(*) from newest where newest.words @@ asked.query)::int
                   from asked order by position) as counts,
           last.vent_id as last_id, last.created_at::text as last_at
      from (values (true)) as once (is_so)
      left join (select vent_id, created_at from newest offset ${limit} - 1) as last on true`.rows(db);
  if (!found) throw new Error('sampleNewest returned no row');
  const { ids, counts, lastId, lastAt } = found;
  return { ids: ids.map(BigInt), counts, last: cursorOf(lastId, lastAt) };
}

/** Reads the newest `limit` vents and finds up to `enough` that match all terms. */
export async function scanNewest(
  db: ContentDb,
  { terms, emotions }: SearchFilter,
  before: VentCursor,
  { limit, enough }: { readonly limit: number; readonly enough: number },
): Promise<Pick<SampleResult, 'ids' | 'last'>> {
  const [found] = await preparedSql<{ ids: string[]; lastId: bigint | null; lastAt: string }>`
    select array(select vent.id
                   from (select vent_id, created_at, words from content.vent_search
                          where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
                          order by created_at desc, vent_id desc limit ${limit}) as passed
                  cross join lateral (select id from content.vents
                                       where id = passed.vent_id and state = 'visible'
                                         and (${emotions}::text[] is null or emotion = any(${emotions}::text[]))
                                       limit 1) as vent
                  where passed.words @@ to_tsquery('simple', content.folded(${andQuery(terms)}))
                  order by passed.created_at desc, passed.vent_id desc limit ${enough}) as ids,
           last.vent_id as last_id, last.created_at::text as last_at
      from (values (true)) as once (is_so)
      left join (select vent_id, created_at from content.vent_search
                  where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
                  order by created_at desc, vent_id desc limit 1 offset ${limit} - 1) as last on true`.rows(
    db,
  );
  if (!found) throw new Error('scanNewest returned no row');
  const { ids, lastId, lastAt } = found;
  return { ids: ids.map(BigInt), last: cursorOf(lastId, lastAt) };
}

interface IndexFilter extends Pick<SearchFilter, 'emotions'> {
  /** A tsquery for the GIN index. */
  readonly indexed: string;
  /** A tsquery checked on each row found: for a frequent word the index would return most of the table. */
  readonly rest: string | null;
  readonly before: VentCursor;
}

/** Newest first. `vent_search` has the time of the vent too, so a plan in its order can stop early for a frequent word. */
export async function searchIndex(
  db: ContentDb,
  { indexed, rest, before, emotions }: IndexFilter,
  limit: number,
): Promise<bigint[]> {
  const rows = await preparedSql<{ id: bigint }>`
      select search.vent_id as id
        from content.vent_search as search
        join content.vents as vent on vent.id = search.vent_id
       where search.words @@ to_tsquery('simple', content.folded(${indexed}))
         and (${rest}::text is null or search.words @@ to_tsquery('simple', content.folded(${rest}))) is true
         and (search.created_at, search.vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
         and vent.state = 'visible'
         and (${emotions}::text[] is null or vent.emotion = any(${emotions}::text[]))
       order by search.created_at desc, search.vent_id desc
       limit ${limit}`.rows(db);
  return rows.map(({ id }) => id);
}

/** Has the planner sample the words again, so that those of deleted vents leave `pg_stats`. */
export async function sampleSearchWords(db: ContentDb): Promise<void> {
  await sql`select content.sample_search_words()`.execute(db);
}
