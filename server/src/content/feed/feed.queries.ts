import { emotions } from '@unsaid/contract';
import { sql, type SqlBool } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';
import type { VentCursor } from './feed.hot.queries.ts';

export async function findCursor(db: ContentDb, id: bigint): Promise<VentCursor | undefined> {
  const { rows } = await sql<VentCursor>`
    select id, created_at::text as at from content.vents where id = ${id}`.execute(db);
  return rows[0];
}

/** The minute of the newest visible vent. */
export async function findNewestTime(db: ContentDb): Promise<Date | null> {
  const { rows } = await sql<{ createdAt: Date }>`
    select created_at from content.vents where state = 'visible'
     order by created_at desc, id desc limit 1`.execute(db);
  return rows[0]?.createdAt ?? null;
}

/** Row-value comparison with a vent as the cursor. That vent need not be visible any more. */
const isBefore = (beforeId: bigint) =>
  sql<SqlBool>`(vent.created_at, vent.id) < (select created_at, id from content.vents where id = ${beforeId})`;

export async function listOlderIds(db: ContentDb, beforeId: bigint, limit: number): Promise<bigint[]> {
  const rows = await db
    .selectFrom('content.vents as vent')
    .select('vent.id')
    .where('vent.state', '=', sql<string>`'visible'`)
    .where(isBefore(beforeId))
    .orderBy('vent.createdAt', 'desc')
    .orderBy('vent.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export interface TrendingVent {
  readonly position: number;
  readonly ventId: bigint;
  readonly emotion: string;
}

/** The best vents of each emotion, all in one order. The first fifty are the best of all. */
export async function listTrending(db: ContentDb) {
  return db
    .selectFrom('content.trending')
    .select(['position', 'ventId', 'emotion', 'computedAt'])
    .orderBy('position')
    .execute();
}

/**
 * The best `size` of each emotion, among which are the best of all. Only the newest 20,000 vents are scored: age outweighs
 * anything older. That number is part of the text: as a parameter, a generic plan would estimate a tenth of the table and
 * read all counters.
 */
const ranking = (now: Date, size: number) => sql`
    with scored as materialized (
      select vent.id, vent.emotion,
             (stats.heart + 2 * stats.hug + 2 * stats.listen + 3 * stats.comments - stats.own_weight)::float8
               / power(greatest(extract(epoch from ${now}::timestamptz - vent.created_at), 0)::float8 / 3600 + 2, 1.8::float8)
               as score
        from (select id, created_at, emotion from content.vents where state = 'visible'
               order by created_at desc, id desc limit 20000) as vent
        join content.vent_stats as stats on stats.vent_id = vent.id)
    select row_number() over (order by best.score desc, best.id desc)::int as position, best.id as vent_id, best.emotion
      from unnest(${emotions}::text[]) as one (emotion)
     cross join lateral (select * from scored where scored.emotion = one.emotion
                          order by score desc, id desc limit ${size}) as best`;

/** The list as it would be written now. */
export async function rankTrending(db: ContentDb, now: Date, size: number): Promise<TrendingVent[]> {
  const { rows } = await sql<TrendingVent>`
    select * from (${ranking(now, size)}) as ranked order by position`.execute(db);
  return rows;
}

/** An advisory lock lets one process write the list; the others keep the one that is there. */
export async function rewriteTrending(db: ContentDb, now: Date, size: number): Promise<boolean> {
  const { rows } = await sql<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('content.trending')) as is_mine`.execute(db);
  if (!rows[0]?.isMine) return false;
  await sql`delete from content.trending`.execute(db);
  await sql`
    insert into content.trending (position, vent_id, emotion, computed_at)
    select position, vent_id, emotion, ${now} from (${ranking(now, size)}) as ranked`.execute(db);
  return true;
}
