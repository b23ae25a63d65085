import type { Emotion } from '@unsaid/contract';
import type { ContentDb } from '../../platform/db.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';
import type { SearchTerm } from './search-terms.ts';

export interface Search {
  /** All must match. */
  readonly terms: readonly SearchTerm[];
  /** Null for all. */
  readonly emotions: readonly Emotion[] | null;
  /** Null starts with the newest. */
  readonly beforeId: bigint | null;
}

/** The emotion of a vent is a lexeme of its words, with a sign that no typed word has. */
export const emotionLexeme = (emotion: string) => `=${emotion}`;

export interface FoundVent {
  readonly id: bigint;
  /** Not all of the words match as they were typed. */
  readonly isBySound: boolean;
}

const newestOfAll = 2n ** 63n - 1n;

/**
 * The newest vents that match. First it reads the newest 1,000, in their order, up to the last that it needs: no sort, which
 * would read them all. If these are not enough, it opens the index from there on back, one segment of 65,536 vents at a
 * time, until there are enough. GIN returns matches unordered, so a lookup gathers all matches of a segment, but never more.
 *
 * Of several terms it looks up the two rarest, as counted in the newest 1,000; the second only if it is not much more
 * frequent than the first: to fetch a row costs about forty times as much as to gather one match, and below 20 matches
 * the count is chance. Every row found is checked against all terms, so the index may find too much.
 *
 * Three parts of the text matter to the planner: `offset 0` (otherwise it merges with all of `vents`), the condition of
 * the cursor outside of the indexed select (inside, it is a bitmap of a million ids for each segment), and tsqueries in
 * materialized CTEs (otherwise they are parsed again for every row).
 */
export async function searchNewest(
  db: ContentDb,
  { terms, emotions, beforeId }: Search,
  limit: number,
): Promise<FoundVent[]> {
  const feeling = emotions && emotions.map((emotion) => `'${emotionLexeme(emotion)}'`).join(' | ');
  return preparedSql<FoundVent>`
    with newest as materialized (
      select vent_id, words from content.vent_search where vent_id < ${beforeId ?? newestOfAll}::bigint
       order by vent_id desc limit 1000
    ), typed as materialized (
      select exact, query, is_hashtag
        from content.search_terms(${terms.map(({ words }) => words)}, ${terms.map(({ sounds }) => sounds)})
       union all
      select ${feeling}::tsquery, ${feeling}::tsquery, false where ${feeling}::text is not null
    ), whole as materialized (
      select string_agg('(' || query::text || ')', ' & ')::tsquery as query,
             string_agg('(' || exact::text || ')', ' & ')::tsquery as exact
        from typed
    ), unpacked as materialized (
      -- In an array a vector is stored as it is read: it is fetched and unpacked once, and not again for each word.
      select array[words] as words from newest
    ), counted as materialized (
      select query, is_hashtag, (select count(*) from unpacked where words[1] @@ typed.query) as seen
        from typed
    ), lookup as materialized (
      -- As text, with a control character in place of the segment. The index has no positions and no weights: the words
      -- of a phrase are ANDed, and hashtags have their sign.
      select string_agg('(' || regexp_replace(regexp_replace(query::text, '<(-|\\d+)>', '&', 'g'),
                                              '''((?:[^'']|'''')+)''(?::A|(:\\*)A?)?',
                                              '''' || chr(1) || case when is_hashtag then '#' else '' end || '\\1''\\2', 'g')
                        || ')', ' & ') as query
        from (select query, is_hashtag from counted
               where seen <= 20 + 40 * (select min(seen) from counted) order by seen limit 2) as rarest
    ), rest as materialized (
      select min(vent_id) as before_id from newest having count(*) = 1000
    )
    (select latest.vent_id as id, not latest.words @@ (select exact from whole) as is_by_sound
       from (select vent_id, words from content.vent_search where vent_id < ${beforeId ?? newestOfAll}::bigint
              order by vent_id desc limit 1000) as latest
      cross join lateral (select from content.vents where id = latest.vent_id and state = 'visible' offset 0) as visible
      where latest.words @@ (select query from whole)
      order by latest.vent_id desc limit ${limit}::int)
    union all
    (select hit.vent_id, not hit.words @@ whole.exact
       from whole cross join lookup cross join rest
      cross join lateral generate_series(rest.before_id >> 16, 0, -1) as segments (segment)
      cross join lateral (
        select found.vent_id, found.words
          from (select vent_id, words from content.vent_search
                 where content.in_segment(vent_id, words)
                       @@ replace(lookup.query, chr(1), lpad(to_hex(segment), 4, '0'))::tsquery offset 0) as found
         cross join lateral (select from content.vents where id = found.vent_id and state = 'visible' offset 0) as visible
         where found.vent_id < rest.before_id and found.words @@ whole.query
         order by found.vent_id desc limit ${limit}::int) as hit)
    limit ${limit}::int`.rows(db);
}
