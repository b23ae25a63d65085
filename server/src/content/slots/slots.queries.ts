import { sql, type SqlBool } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import { rewriteRows, rewrittenTable, type RewrittenTable } from '../../platform/rewrite-rows.ts';

/** Counts the taken ones of these keys. `leftKey` marks an owner who has left; it is looked up in the same statement. */
export async function countTaken(db: ContentDb, takenKeys: readonly Buffer[], leftKey: Buffer) {
  const {
    rows: [found],
  } = await sql<{ taken: number; hasLeft: boolean }>`
    select count(*) filter (where taken_key <> ${leftKey}::bytea)::int as taken,
           count(*) filter (where taken_key = ${leftKey}::bytea) > 0 as has_left
      from content.taken_slots where taken_key = any(${[...takenKeys, leftKey]}::bytea[])`.execute(db);
  return found ?? { taken: 0, hasLeft: false };
}

/** The positions, from 0, of the keys that are taken. They are concatenated, and may belong to several people. */
export async function listTakenPositions(db: ContentDb, takenKeys: Buffer): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`
    select slot.n as position
      from (values (${takenKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) as slot (n)
     cross join lateral (select 1 from content.taken_slots
                          where taken_key = substring(given.keys from slot.n * 16 + 1 for 16) limit 1) as taken`.execute(
    db,
  );
  return rows.map(({ position }) => position);
}

export async function listTaken(db: ContentDb, takenKeys: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ takenKey: Buffer }>`
    select taken_key from content.taken_slots where taken_key = any(${takenKeys}::bytea[])`.execute(db);
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

interface FreshTable {
  readonly table: RewrittenTable;
  /** Rows have one: they stay fresh until it is over. */
  readonly day?: string;
  /** Rows belong to a vent, whose counters are rewritten with them. */
  readonly hasVent: boolean;
  /** A function of the owner rewrites them: the login deletes none. */
  readonly isAppendOnly?: true;
}

/** Tables whose rows are rewritten while `is_fresh`. */
export const freshTables = {
  comments: { table: rewrittenTable('content.comments', 'slot_key'), day: 'said_on', hasVent: true },
  reactions: { table: rewrittenTable('content.reactions', 'reactor_key'), hasVent: true },
  shutOuts: { table: rewrittenTable('content.shut_outs', 'voice_key'), hasVent: true },
  // Until they are shown: written in the order of keys each night, those of one day would lie together.
  thanks: { table: rewrittenTable('content.thanks', 'thank_key'), day: 'shown_from', hasVent: false },
  takenSlots: {
    table: rewrittenTable('content.taken_slots', 'taken_key'),
    hasVent: false,
    isAppendOnly: true,
  },
  idempotency: { table: rewrittenTable('content.idempotency', 'key'), hasVent: false },
} satisfies Record<string, FreshTable>;
const stats = rewrittenTable('content.vent_stats', 'vent_id');

export interface RewriteBatch {
  /** Cursor: the last key of the batch before. */
  readonly after: Buffer;
  readonly limit: number;
  /** Rows up to this day lose `is_fresh` and are not rewritten again. Null rewrites all rows and keeps them fresh. */
  readonly endOf: Day | null;
}

/** Stops counting at `max`. */
export async function countFresh(db: ContentDb, { table }: FreshTable, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from (select 1 from ${sql.table(table.name)} where is_fresh limit ${max}) as seen`.execute(db);
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
  { table, day, hasVent, isAppendOnly }: FreshTable,
  { after, limit, endOf }: RewriteBatch,
): Promise<Buffer | null> {
  if (isAppendOnly) {
    const { rows } = await sql<{ last: Buffer | null }>`
      select content.rewrite_taken_slots(${after}, ${limit}, ${!endOf}) as last`.execute(tx);
    return rows[0]?.last ?? null;
  }
  const keyColumn = sql.ref(table.order);
  const isDue = endOf && day ? sql`${sql.ref(day)} <= ${endOf}::date` : sql`true`;
  const { rows: batch } = await sql<{ key: Buffer; ventId: bigint | null }>`
    select ${keyColumn} as key, ${hasVent ? sql`vent_id` : sql`null`} as vent_id from ${sql.table(table.name)}
     where is_fresh and ${keyColumn} > ${after} and ${isDue} order by ${keyColumn} limit ${limit}`.execute(
    tx,
  );
  const last = batch.at(-1)?.key;
  if (!last) return null;
  const ventIds = batch.flatMap(({ ventId }) => ventId ?? []);
  if (hasVent) await lockVents(tx, ventIds);
  await rewriteRows(tx, table, {
    where: sql`is_fresh and ${keyColumn} = any(${batch.map((row) => row.key)}::bytea[])`,
    set: { is_fresh: !endOf },
  });
  if (hasVent) await rewriteStats(tx, ventIds);
  return last;
}

/** Excludes writers: they lock the vent before they change its comments, reactions or counters. */
async function lockVents(tx: ContentDb, ventIds: readonly bigint[]): Promise<void> {
  await sql`select id from content.vents where id = any(${ventIds}::bigint[]) order by id for update`.execute(
    tx,
  );
}

const rewriteStats = (tx: ContentDb, ventIds: readonly bigint[], set = {}) =>
  rewriteRows(tx, stats, { where: sql`vent_id = any(${ventIds}::bigint[])`, set });

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
  await rewriteStats(tx, ventIds, { is_switched: false });
  return last;
}
