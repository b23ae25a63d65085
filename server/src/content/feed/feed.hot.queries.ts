import type { Emotion } from '@unsaid/contract';
import type { Selectable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import type { ContentDb } from '../../platform/db.ts';
import { prepare, preparedSql } from '../../platform/prepared-sql.ts';
import { saidSql, type Said } from '../vents/said.ts';
import type { VentState } from '../vents/vents.state.ts';

/** The statements of every page of the feed. */

type Vents = ContentTables['content.vents'];
type VentStats = ContentTables['content.ventStats'];

/** Row-value cursor in the order of vents, newest first. The time is text: a `Date` would drop the microseconds. */
export interface VentCursor {
  readonly at: string;
  readonly id: bigint;
}

export const startOfFeed: VentCursor = { at: 'infinity', id: 0n };

export interface LimitOffset {
  readonly limit: number;
  readonly offset: number;
}

/** Ids of a page of the feed, and the number of vents, counted up to `maxCount`. Both read the index of the feed in order. */
export interface NewestPage extends LimitOffset {
  /** Stops counting there. */
  readonly maxCount: number;
}

/** Pages of the newest vents, in one statement. */
export async function listNewest(db: ContentDb, pages: readonly NewestPage[]) {
  const rows = await preparedSql<{ ids: string[]; count: number }>`
    select array(select id from content.vents where state = 'visible'
                  order by created_at desc, id desc limit asked.size offset asked.skipped) as ids,
           (select count(*) from (select 1 from content.vents where state = 'visible'
                                   order by created_at desc, id desc limit asked.most) as seen)::int as count
      from unnest(${pages.map(({ limit }) => limit)}::int[], ${pages.map(({ offset }) => offset)}::int[],
                  ${pages.map(({ maxCount }) => maxCount)}::int[]) with ordinality as asked (size, skipped, most, n)
     order by asked.n`.rows(db);
  return rows.map(({ ids, count }) => ({ ids: ids.map(BigInt), count }));
}

/** Ids of vents of any of these emotions, newest first: each emotion by its part of the index, then merged. */
export async function listIdsByEmotion(
  db: ContentDb,
  chosen: readonly Emotion[],
  before: VentCursor,
  { limit, offset }: LimitOffset,
): Promise<bigint[]> {
  const rows = await preparedSql<{ id: bigint }>`
    select vent.id
      from unnest(${chosen}::text[]) as chosen (emotion)
     cross join lateral (select id, created_at from content.vents
                          where state = 'visible' and emotion = chosen.emotion
                            and (created_at, id) < (${before.at}::timestamptz, ${before.id}::bigint)
                          order by created_at desc, id desc limit ${offset + limit}) as vent
     order by vent.created_at desc, vent.id desc
     limit ${limit} offset ${offset}`.rows(db);
  return rows.map(({ id }) => id);
}

/** A vent with its counters: all that is the same for every reader. `speaker` is encrypted (kernel/speakers.ts). */
export type VentRow = Readonly<
  Said &
    Pick<Selectable<Vents>, 'id' | 'speaker' | 'createdAt'> &
    Pick<Selectable<VentStats>, 'heart' | 'hug' | 'listen' | 'comments' | 'allowComments'> & {
      state: VentState;
    }
>;

const selectVents = prepare<VentRow>(`
    select vent.id, vent.speaker, vent.created_at, vent.state, ${saidSql},
           stats.heart, stats.hug, stats.listen, stats.comments, stats.allow_comments
      from content.vents as vent
      join content.vent_stats as stats on stats.vent_id = vent.id
     where vent.id = any($1)`);

/**
 * In no particular order. Lists find the ids first, from an index alone, and load a handful of rows here. Joined in one
 * statement, a generic plan would sort the whole table.
 */
export const findVents = async (db: ContentDb, ids: readonly bigint[]): Promise<VentRow[]> =>
  ids.length === 0 ? [] : selectVents.rows(db, ids);
