import type { Emotion } from '@unsaid/contract';
import { statement, type ContentDb } from '../platform/db.ts';
import type { Day } from '../platform/clock.ts';
import type { VentState } from './vents.state.ts';

/**
 * Reading by slot keys, which only their owner can make. Lists come back in the order of the keys given. The keys come
 * one behind the other in one value: in an array each would be written and read as text, which costs about as much as
 * finding its row. `limit 1` holds a plan that is made for any number of keys to the index.
 */

/** What an author still sees of their own. */
export const ownStates: readonly VentState[] = ['visible', 'hidden'];

const idsOf = (rows: readonly { id: bigint }[]): bigint[] => rows.map(({ id }) => id);

export async function listIds(
  db: ContentDb,
  slotKeys: Buffer,
  states: readonly VentState[],
): Promise<bigint[]> {
  return idsOf(
    await statement<{ id: bigint }>`
      select vent.id
        from (values (${slotKeys}::bytea)) as given (keys)
       cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
       cross join lateral (select id from content.vents
                            where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                              and state = any(${states}) limit 1) as vent
       order by slot.position`.rows(db),
  );
}

/** Those of them with all of certain words: a tsquery. Joined freely: where a word is rare, its index knows all who say it. */
export async function searchIds(db: ContentDb, slotKeys: Buffer, words: string): Promise<bigint[]> {
  return idsOf(
    await statement<{ id: bigint }>`
      select vent.id
        from (values (${slotKeys}::bytea)) as given (keys)
       cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
        join content.vents as vent on vent.slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
        join content.vent_search as search on search.vent_id = vent.id
       where vent.state = any(${ownStates}) and search.words @@ to_tsquery('simple', content.folded(${words}))
       order by slot.position`.rows(db),
  );
}

/** Oldest first, each day with what was felt on it. */
export async function listWeather(db: ContentDb, slotKeys: Buffer) {
  return statement<{ day: Day; emotion: Emotion; count: number }>`
    select (vent.created_at at time zone 'UTC')::date as day, vent.emotion, count(*)::int as count
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) as slot (n)
     cross join lateral (select created_at, emotion from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state = any(${ownStates}) limit 1) as vent
     group by 1, 2 order by 1, 2`.rows(db);
}

export async function listForExport(db: ContentDb, slotKeys: Buffer) {
  return statement<{
    emotion: string;
    title: string;
    body: string;
    hashtags: string[];
    createdAt: Date;
    state: VentState;
    allowComments: boolean;
  }>`
    select vent.emotion, vent.title, vent.body, vent.hashtags, vent.created_at, vent.state, stats.allow_comments
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select * from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16) limit 1) as vent
     cross join lateral (select allow_comments from content.vent_stats where vent_id = vent.id limit 1) as stats
     order by slot.position`.rows(db);
}

/** How often exactly this was said in these slots since a moment. */
export async function countSameText(
  db: ContentDb,
  slotKeys: readonly Buffer[],
  { title, body, since }: { readonly title: string; readonly body: string; readonly since: Date },
): Promise<number> {
  const [found] = await statement<{ count: number }>`
    select count(*)::int as count from content.vents
     where slot_key = any(${slotKeys}::bytea[]) and created_at > ${since} and title = ${title} and body = ${body}`.rows(
    db,
  );
  return found?.count ?? 0;
}

export interface WatchedVent {
  /** Its position among the keys given, from 0. */
  readonly position: number;
  readonly id: bigint;
  readonly heart: number;
  readonly hug: number;
  readonly listen: number;
  readonly lastNo: number;
}

export async function listTotals(db: ContentDb, slotKeys: Buffer): Promise<WatchedVent[]> {
  return statement<WatchedVent>`
    select slot.position::int - 1 as position, vent.id, stats.heart, stats.hug, stats.listen, stats.last_no
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select id from content.vents
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16)
                            and state = 'visible' limit 1) as vent
     cross join lateral (select * from content.vent_stats where vent_id = vent.id limit 1) as stats
     order by slot.position`.rows(db);
}

/** What others said after a comment of this number, or from a day on. */
export async function countCommentsAfter(
  db: ContentDb,
  vents: readonly { readonly id: bigint; readonly afterNo: number }[],
  fromDay: Day | null,
): Promise<number> {
  const [found] = await statement<{ count: number }>`
    select count(*)::int as count
      from unnest(${vents.map(({ id }) => id)}::bigint[], ${vents.map(({ afterNo }) => afterNo)}::int[])
             as vent (id, after_no)
      join content.comments as comment on comment.vent_id = vent.id and comment.no > vent.after_no
     where comment.voice <> 'author' and (${fromDay}::date is null or comment.said_on >= ${fromDay}::date)`.rows(
    db,
  );
  return found?.count ?? 0;
}
