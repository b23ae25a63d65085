import type { Emotion } from '@unsaid/contract';
import { statement, type ContentDb } from '../platform/db.ts';
import type { Day } from '../platform/clock.ts';
import type { VentState } from './vents.state.ts';

/** Reading by slot keys, which only their owner can make. Lists come back in the order of the keys given. */

/** What an author still sees of their own. */
export const ownStates: readonly VentState[] = ['visible', 'hidden'];

const idsOf = (rows: readonly { id: bigint }[]): bigint[] => rows.map(({ id }) => id);

export async function listIds(
  db: ContentDb,
  slotKeys: readonly Buffer[],
  states: readonly VentState[],
): Promise<bigint[]> {
  return idsOf(
    await statement<{ id: bigint }>`
      select vent.id from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
        join content.vents as vent on vent.slot_key = slot.key
       where vent.state = any(${states}) order by slot.position`.rows(db),
  );
}

/** Those of them with all of certain words: a tsquery. */
export async function searchIds(
  db: ContentDb,
  slotKeys: readonly Buffer[],
  words: string,
): Promise<bigint[]> {
  return idsOf(
    await statement<{ id: bigint }>`
      select vent.id from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
        join content.vents as vent on vent.slot_key = slot.key
        join content.vent_search as search on search.vent_id = vent.id
       where vent.state = any(${ownStates}) and search.words @@ to_tsquery('simple', content.folded(${words}))
       order by slot.position`.rows(db),
  );
}

/** Oldest first, each day with what was felt on it. */
export async function listWeather(db: ContentDb, slotKeys: readonly Buffer[]) {
  return statement<{ day: Day; emotion: Emotion; count: number }>`
    select (vent.created_at at time zone 'UTC')::date as day, vent.emotion, count(*)::int as count
      from unnest(${slotKeys}::bytea[]) as slot (key)
      join content.vents as vent on vent.slot_key = slot.key
     where vent.state = any(${ownStates})
     group by 1, 2 order by 1, 2`.rows(db);
}

export async function listForExport(db: ContentDb, slotKeys: readonly Buffer[]) {
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
      from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
      join content.vents as vent on vent.slot_key = slot.key
      join content.vent_stats as stats on stats.vent_id = vent.id
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

export async function listTotals(db: ContentDb, slotKeys: readonly Buffer[]): Promise<WatchedVent[]> {
  return statement<WatchedVent>`
    select slot.position::int - 1 as position, vent.id, stats.heart, stats.hug, stats.listen, stats.last_no
      from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
      join content.vents as vent on vent.slot_key = slot.key
      join content.vent_stats as stats on stats.vent_id = vent.id
     where vent.state = 'visible' order by slot.position`.rows(db);
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
