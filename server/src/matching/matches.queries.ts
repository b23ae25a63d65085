import { sql, type Kysely, type SqlBool } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { MatchingDb } from '../platform/db.ts';
import { rewrittenTable } from '../platform/rewrite-rows.ts';
import type { PairColumns } from './pair-details.ts';

const pairColumns = ['id', 'aKey', 'bKey', 'isAskedByA', 'week', 'details'] as const;

export interface PairRow extends PairColumns {
  readonly id: bigint;
  readonly details: Buffer;
}

/**
 * All pairs under some keys, with the index of the key. One lateral subquery per key: keys have no planner statistics
 * (samples would outlive the rows), so `= any` would scan the whole table.
 */
export async function listPairs(
  db: MatchingDb,
  keys: readonly Buffer[],
): Promise<(PairRow & { readonly position: number })[]> {
  const { rows } = await sql<PairRow & { readonly position: number }>`
    select mine.n::int - 1 as position, pair.id, pair.a_key, pair.b_key, pair.is_asked_by_a, pair.week, pair.details
      from unnest(${keys}::bytea[]) with ordinality as mine (key, n)
     cross join lateral (select * from matching.pairs where a_key = mine.key
                          union all
                         select * from matching.pairs where b_key = mine.key) as pair`.execute(db);
  return rows;
}

/** The keys of everyone who has a pair with one of these keys. */
export async function listPeerKeys(db: MatchingDb, keys: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ peer: Buffer }>`
    select pair.peer
      from unnest(${keys}::bytea[]) as mine (key)
     cross join lateral (select b_key as peer from matching.pairs where a_key = mine.key
                          union all
                         select a_key from matching.pairs where b_key = mine.key) as pair`.execute(db);
  return rows.map(({ peer }) => peer);
}

const pairById = (db: MatchingDb, id: bigint) =>
  db.selectFrom('matching.pairs').select(pairColumns).where('id', '=', id);

/** Whosever it is: the caller checks that. */
export const findPair = (db: MatchingDb, id: bigint): Promise<PairRow | undefined> =>
  pairById(db, id).executeTakeFirst();

/** `findPair` with `FOR UPDATE`. */
export const lockPair = (tx: MatchingDb, id: bigint): Promise<PairRow | undefined> =>
  pairById(tx, id).forUpdate().executeTakeFirst();

export async function updateDetails(tx: MatchingDb, id: bigint, details: Buffer): Promise<void> {
  await tx.updateTable('matching.pairs').set({ details, isFresh: true }).where('id', '=', id).execute();
}

/**
 * Advisory locks that serialize making pairs and erasing people. Taken in ascending order, which prevents deadlocks. The
 * lock numbers have no other use, because every login of the database can read pg_locks.
 */
export async function lockPeople(tx: MatchingDb, locks: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const sorted = locks.toSorted((a, b) => (a < b ? -1 : 1));
  await sql`select pg_advisory_xact_lock(lock) from unnest(${sorted}::bigint[]) as lock`.execute(tx);
  return new Set(locks);
}

/**
 * Waits for the first lock, and takes those of the others that are free now. Returns what it took. It holds none while it
 * waits, so no circle forms with `lockPeople`.
 */
export async function lockFreePeople(tx: MatchingDb, locks: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const { rows } = await sql<{ lock: bigint }>`
    select lock from unnest(${locks}::bigint[]) with ordinality as people (lock, n)
     where case when n = 1 then pg_advisory_xact_lock(lock) is not null
                else pg_try_advisory_xact_lock(lock) end`.execute(tx);
  return new Set(rows.map(({ lock }) => lock));
}

/**
 * How many pairs the searches of others made with each person, in the order of the people, who have equally many keys.
 * Answered pairs count too: if an answer freed a place, one person with several accounts could detect a refusal.
 */
export async function countTimesFound(
  db: MatchingDb,
  keys: readonly Buffer[],
  keysEach: number,
): Promise<number[]> {
  const { rows } = await sql<{ found: number }>`
    select (n - 1) / ${keysEach}::int as person, sum(found.count)::int as found
      from unnest(${keys}::bytea[]) with ordinality as mine (key, n)
     cross join lateral (
       select count(*) as count
         from (select 1 from matching.pairs where a_key = mine.key and not is_asked_by_a
               union all
               select 1 from matching.pairs where b_key = mine.key and is_asked_by_a) as pairs) as found
     group by 1
     order by 1`.execute(db);
  return rows.map(({ found }) => found);
}

export async function insertPairs(tx: MatchingDb, pairs: readonly PairRow[]): Promise<void> {
  if (pairs.length === 0) return;
  const each = <K extends keyof PairRow>(column: K) => pairs.map((pair) => pair[column]);
  await sql`
    insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, details)
    select * from unnest(${each('id')}::bigint[], ${each('aKey')}::bytea[], ${each('bKey')}::bytea[],
                         ${each('isAskedByA')}::boolean[], ${each('week')}::date[], ${each('details')}::bytea[])`.execute(
    tx,
  );
}

/** Excludes erasure during a rewrite: a rewrite deletes and reinserts rows, so a concurrent delete would miss them. */
export async function lockRewrite<T>(tx: Kysely<T>, mode: 'rewrite' | 'delete'): Promise<void> {
  await (
    mode === 'rewrite'
      ? sql`select pg_advisory_xact_lock(hashtext('matching.settling'))`
      : sql`select pg_advisory_xact_lock_shared(hashtext('matching.settling'))`
  ).execute(tx);
}

/** In the order of their random ids. Batches are small, because answers to these pairs wait for the commit. */
export const rewrittenPairs = rewrittenTable('matching.pairs', 'id', {
  async around(tx, _isInBatch, rewrite) {
    await lockRewrite(tx, 'rewrite');
    await rewrite();
  },
});

/** The condition of its index. */
export const isFresh = sql<SqlBool>`is_fresh`;

/** Null without pairs. */
export async function findOldestWeek(db: MatchingDb): Promise<Day | null> {
  const row = await db
    .selectFrom('matching.pairs')
    .select('week')
    .orderBy('week')
    .limit(1)
    .executeTakeFirst();
  return row?.week ?? null;
}

/** The ids of one batch of the pairs of a week, in their order. */
export async function listIdsOfWeek(
  db: MatchingDb,
  week: Day,
  after: bigint,
  limit: number,
): Promise<bigint[]> {
  const rows = await db
    .selectFrom('matching.pairs')
    .select('id')
    .where('week', '=', week)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listPairsById(tx: MatchingDb, week: Day, ids: readonly bigint[]) {
  return tx
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('week', '=', week)
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .orderBy('id')
    .execute();
}

export async function deletePairsById(tx: MatchingDb, ids: readonly bigint[]): Promise<void> {
  await sql`delete from matching.pairs where id = any(${ids}::bigint[])`.execute(tx);
}
