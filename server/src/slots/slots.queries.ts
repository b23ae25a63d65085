import { sql, type SqlBool } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { ContentDb } from '../platform/db.ts';
import { preparedSql } from '../platform/prepared-sql.ts';

/** Counts the taken ones of these keys. `leftKey` marks an owner who has left; it is looked up in the same statement. */
export async function countTaken(db: ContentDb, takenKeys: readonly Buffer[], leftKey: Buffer) {
  const [found] = await preparedSql<{ taken: number; hasLeft: boolean }>`
    select count(*) filter (where taken_key <> ${leftKey}::bytea)::int as taken,
           count(*) filter (where taken_key = ${leftKey}::bytea) > 0 as has_left
      from content.taken_slots where taken_key = any(${[...takenKeys, leftKey]}::bytea[])`.rows(db);
  return found ?? { taken: 0, hasLeft: false };
}

/** The positions, from 0, of the keys that are taken. They are concatenated, and may belong to several people. */
export async function listTakenPositions(db: ContentDb, takenKeys: Buffer): Promise<number[]> {
  const rows = await preparedSql<{ position: number }>`
    select slot.n as position
      from (values (${takenKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) as slot (n)
     cross join lateral (select 1 from content.taken_slots
                          where taken_key = substring(given.keys from slot.n * 16 + 1 for 16) limit 1) as taken`.rows(
    db,
  );
  return rows.map(({ position }) => position);
}

export async function listTaken(db: ContentDb, takenKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await preparedSql<{ takenKey: Buffer }>`
    select taken_key from content.taken_slots where taken_key = any(${takenKeys}::bytea[])`.rows(db);
  return rows.map(({ takenKey }) => takenKey);
}

/** False when the slot was taken before. Concurrent claims of one key wait here for each other, and one succeeds. */
export async function claimSlot(tx: ContentDb, takenKey: Buffer): Promise<boolean> {
  const row = await tx
    .insertInto('content.takenSlots')
    .values({ takenKey })
    .onConflict((conflict) => conflict.column('takenKey').doNothing())
    .returning('takenKey')
    .executeTakeFirst();
  return row !== undefined;
}

export const rewrittenTables = ['comments', 'reactions', 'reports', 'shut_outs'] as const;
type RewrittenTable = (typeof rewrittenTables)[number];

const columns = {
  comments: {
    key: 'slot_key',
    day: 'said_on',
    all: ['vent_id', 'no', 'voice', 'speaker', 'slot_key', 'body', 'said_on', 'state'],
  },
  reactions: { key: 'reactor_key', day: null, all: ['vent_id', 'reactor_key', 'kind'] },
  shut_outs: { key: 'voice_key', day: null, all: ['vent_id', 'voice_key'] },
  reports: {
    key: 'reporter_key',
    day: 'reported_on',
    all: ['id', 'vent_id', 'reporter_key', 'reason', 'snapshot', 'reported_on'],
  },
} as const;

const columnList = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
const statColumns = columnList([
  'vent_id',
  'heart',
  'hug',
  'listen',
  'comments',
  'own_weight',
  'last_no',
  'allow_comments',
]);

export interface RewriteBatch {
  /** Cursor: the last key of the batch before. */
  readonly after: Buffer;
  readonly limit: number;
  /** Rows up to this day lose `is_fresh` and are not rewritten again. Null rewrites all rows and keeps them fresh. */
  readonly endOf: Day | null;
}

/** Stops counting at `max`. */
export async function countFresh(db: ContentDb, table: RewrittenTable, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from (select 1 from ${sql.table(`content.${table}`)} where is_fresh limit ${max}) as seen`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Rewrites one batch of fresh rows in the order of their keys, so that their position in the table is no longer the
 * order of writing, which is a time. Returns the last key. The counters of their vents are rewritten too: the order of
 * recently updated counters would show when each vent was last touched. Writers lock the vent first, so locking the
 * vents keeps a concurrent writer from missing a row between its deletion and its insertion.
 */
export async function rewriteFresh(
  tx: ContentDb,
  table: RewrittenTable,
  { after, limit, endOf }: RewriteBatch,
): Promise<Buffer | null> {
  const { key, day, all } = columns[table];
  const [rows, keyColumn, list] = [sql.table(`content.${table}`), sql.ref(key), columnList(all)];
  const isDue = endOf && day ? sql`${sql.ref(day)} <= ${endOf}::date` : sql`true`;
  const { rows: batch } = await sql<{ key: Buffer; ventId: bigint }>`
    select ${keyColumn} as key, vent_id from ${rows}
     where is_fresh and ${keyColumn} > ${after} and ${isDue} order by ${keyColumn} limit ${limit}`.execute(
    tx,
  );
  const last = batch.at(-1)?.key;
  if (!last) return null;
  const ventIds = batch.map(({ ventId }) => ventId);
  await lockVents(tx, ventIds);
  await sql`
    with gone as (delete from ${rows} where ${keyColumn} = any(${batch.map((row) => row.key)}::bytea[]) and is_fresh
                  returning ${list})
    insert into ${rows} (${list}, is_fresh)
    select ${list}, ${!endOf}::boolean from gone order by ${keyColumn}`.execute(tx);
  await rewriteStats(tx, ventIds);
  return last;
}

/** Excludes writers: they lock the vent before they change its comments, reactions or counters. */
async function lockVents(tx: ContentDb, ventIds: readonly bigint[]): Promise<void> {
  await sql`select id from content.vents where id = any(${ventIds}::bigint[]) order by id for update`.execute(
    tx,
  );
}

async function rewriteStats(tx: ContentDb, ventIds: readonly bigint[]): Promise<void> {
  await sql`
    with gone as (delete from content.vent_stats where vent_id = any(${ventIds}::bigint[])
                  returning ${statColumns})
    insert into content.vent_stats (${statColumns})
    select ${statColumns} from gone order by vent_id`.execute(tx);
}

/**
 * Rewrites the counters of vents that are closed for comments or were switched, a batch in the order of ids. Returns
 * the last id.
 */
export async function rewriteSwitched(tx: ContentDb, after: bigint, limit: number): Promise<bigint | null> {
  const rows = await tx
    .selectFrom('content.ventStats')
    .select('ventId')
    .where(sql<SqlBool>`(is_switched or not allow_comments)`)
    .where('ventId', '>', after)
    .orderBy('ventId')
    .limit(limit)
    .execute();
  const ventIds = rows.map(({ ventId }) => ventId);
  const last = ventIds.at(-1);
  if (last === undefined) return null;
  await lockVents(tx, ventIds);
  await rewriteStats(tx, ventIds);
  return last;
}
