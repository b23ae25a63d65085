import type { Emotion } from '@unsaid/contract';
import { sql, type Selectable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import type { FoundVent } from '../search/vent-search.hot.queries.ts';
import { saidColumns, type Said } from './said.ts';
import { statesShownToAuthor, type VentState } from './vents.state.ts';

/**
 * Reads by slot keys, which only their owner can compute. Lists come in the order of the keys. The keys are concatenated
 * into one value: as an array, each would be written and parsed as text, which costs about as much as finding its row.
 * `limit 1` keeps a generic plan, made for any number of keys, on the index.
 */

type Vents = Selectable<ContentTables['content.vents']>;
type VentStats = Selectable<ContentTables['content.ventStats']>;

const idsOf = (rows: readonly { id: bigint }[]): bigint[] => rows.map(({ id }) => id);

export async function findIds(
  db: ContentDb,
  slotKeys: Buffer,
  states: readonly VentState[],
  emotions: readonly Emotion[] | null = null,
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select vent.id
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select id from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state = any(${states})
                            and (${emotions}::text[] is null or emotion = any(${emotions}::text[])) limit 1) as vent
     order by slot.position`.execute(db);
  return idsOf(rows);
}

/** Those that match all terms. */
export async function search(
  db: ContentDb,
  slotKeys: Buffer,
  terms: readonly SearchTerm[],
  emotions: readonly Emotion[] | null,
): Promise<FoundVent[]> {
  const { rows } = await sql<FoundVent>`
      with asked as materialized (
        select string_agg('(' || query::text || ')', ' & ')::tsquery as query,
               string_agg('(' || exact::text || ')', ' & ')::tsquery as exact
          from content.search_terms(${terms.map(({ words }) => words)}, ${terms.map(({ sounds }) => sounds)})
      )
      select vent.id, not search.words @@ asked.exact as is_by_sound
        from (values (${slotKeys}::bytea)) as given (keys)
       cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
       cross join asked
       cross join lateral (select id from content.vents
                            where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                              and state = any(${statesShownToAuthor})
                              and (${emotions}::text[] is null or emotion = any(${emotions}::text[])) limit 1) as vent
       cross join lateral (select words from content.vent_search where vent_id = vent.id limit 1) as search
       where search.words @@ asked.query
       order by slot.position`.execute(db);
  return rows;
}

/** By day and emotion, oldest first. */
export async function listWeather(db: ContentDb, slotKeys: Buffer) {
  const { rows } = await sql<{ day: Day; emotion: Emotion; count: number }>`
    select (vent.created_at at time zone 'UTC')::date as day, vent.emotion, count(*)::int as count
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) as slot (n)
     cross join lateral (select created_at, emotion from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state = any(${statesShownToAuthor}) limit 1) as vent
     group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

export type ExportedVent = Said & Pick<Vents, 'createdAt' | 'state'> & Pick<VentStats, 'allowComments'>;

/** Without deleted ones: a row that waits for the end of a case would tell of that case. */
export async function listForExport(db: ContentDb, slotKeys: Buffer): Promise<ExportedVent[]> {
  const { rows } = await sql<ExportedVent>`
    select ${sql.join(saidColumns.map((column) => sql.ref(`vent.${column}`)))},
           vent.created_at, vent.state, stats.allow_comments
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select * from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state <> 'author_deleted' limit 1) as vent
     cross join lateral (select allow_comments from content.vent_stats where vent_id = vent.id limit 1) as stats
     order by slot.position`.execute(db);
  return rows;
}

/** The number of vents in these slots that have exactly this title and text. */
export async function countSameText(
  db: ContentDb,
  slotKeys: readonly Buffer[],
  { title, body, since }: { readonly title: string; readonly body: string; readonly since: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from content.vents
     where slot_key = any(${slotKeys}::bytea[]) and created_at > ${since} and title = ${title} and body = ${body}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export interface WatchedVent extends Pick<VentStats, 'heart' | 'hug' | 'listen' | 'lastNo'> {
  /** The index of its slot key among those given. */
  readonly position: number;
  readonly id: bigint;
}

export async function listWatched(db: ContentDb, slotKeys: Buffer): Promise<WatchedVent[]> {
  const { rows } = await sql<WatchedVent>`
    select slot.position::int - 1 as position, vent.id, stats.heart, stats.hug, stats.listen, stats.last_no
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select id from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state = 'visible' limit 1) as vent
     cross join lateral (select * from content.vent_stats where vent_id = vent.id limit 1) as stats
     order by slot.position`.execute(db);
  return rows;
}
