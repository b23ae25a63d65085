import { sql, type SqlBool } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { MatchingDb } from '../platform/db.ts';
import { rewriteRows, rewrittenTable } from '../platform/rewrite-rows.ts';

const pairColumns = ['id', 'aKey', 'bKey', 'isAskedByA', 'week', 'details'] as const;

/**
 * An expression, so that pairs of a key are never looked up by their week: keys have no planner statistics, and the planner
 * would take the week for the rarer value.
 */
const isSince = (week: Day) => sql<SqlBool>`week + 0 >= ${week}::date`;

export type PairRow = Awaited<ReturnType<typeof listPairs>>[number];

/** All stored pairs of a person, ended ones included. */
export async function listPairs(db: MatchingDb, key: Buffer) {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

/**
 * Pairs that are mutual or may be open. Most rows of a person are ended pairs, kept for the rematch cooldown: hundreds
 * after three months, each with its details.
 */
export async function listLivePairs(db: MatchingDb, key: Buffer, since: Day): Promise<PairRow[]> {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .where(isSince(since))
    .execute();
}

/** The same for several people in one statement, with the index of the key among those given. */
export async function listLivePairsOfMany(
  db: MatchingDb,
  keys: readonly Buffer[],
  since: Day,
): Promise<(PairRow & { readonly position: number })[]> {
  const { rows } = await sql<PairRow & { readonly position: number }>`
    select person.n::int - 1 as position, pair.id, pair.a_key, pair.b_key, pair.is_asked_by_a, pair.week, pair.details
      from unnest(${keys}::bytea[]) with ordinality as person (key, n)
     cross join lateral (select * from matching.pairs
                          where a_key = person.key and ${isSince(since)}
                          union all
                         select * from matching.pairs
                          where b_key = person.key and ${isSince(since)}) as pair`.execute(db);
  return rows;
}

/** The keys of everyone with whom a person has a stored pair. */
export async function listPeerKeys(db: MatchingDb, key: Buffer): Promise<Buffer[]> {
  const { rows } = await sql<{ peer: Buffer }>`
    select b_key as peer from matching.pairs where a_key = ${key}
    union all
    select a_key from matching.pairs where b_key = ${key}`.execute(db);
  return rows.map(({ peer }) => peer);
}

/** The pair, if it belongs to this key. */
export async function findPair(db: MatchingDb, id: bigint, key: Buffer): Promise<PairRow | undefined> {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .executeTakeFirst();
}

/** `findPair` with `FOR UPDATE`. */
export async function lockPair(tx: MatchingDb, id: bigint, key: Buffer): Promise<PairRow | undefined> {
  return tx
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .forUpdate()
    .executeTakeFirst();
}

/** The pair of two people, if there is one, with `FOR UPDATE`. */
export async function lockPairOf(tx: MatchingDb, one: Buffer, other: Buffer): Promise<PairRow | undefined> {
  const [aKey, bKey] = one.compare(other) < 0 ? [one, other] : [other, one];
  return tx
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('aKey', '=', aKey)
    .where('bKey', '=', bKey)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateDetails(tx: MatchingDb, id: bigint, details: Buffer): Promise<void> {
  await tx.updateTable('matching.pairs').set({ details, isFresh: true }).where('id', '=', id).execute();
}

/**
 * Advisory locks that serialize making pairs and erasing people. Taken in ascending order, which prevents deadlocks. The
 * lock numbers have no other use, because every login of the database can read pg_locks.
 */
export async function lockPeople(tx: MatchingDb, locks: readonly bigint[]): Promise<void> {
  const sorted = locks.toSorted((a, b) => (a < b ? -1 : 1));
  await sql`select pg_advisory_xact_lock(lock) from unnest(${sorted}::bigint[]) as lock`.execute(tx);
}

/**
 * How many pairs the searches of others made with each key since a week; the result is keyed by hex. Answered pairs count
 * too: if an answer freed a place, one person with several accounts could detect a refusal. One lateral subquery per
 * key: keys have no planner statistics (samples would outlive the rows), so `= any` would scan the whole table.
 */
export async function countTimesFound(
  db: MatchingDb,
  keys: readonly Buffer[],
  since: Day,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ key: Buffer; found: number }>`
    select key, found.count as found
      from unnest(${keys}::bytea[]) as key
     cross join lateral (
       select count(*)::int as count
         from (select 1 from matching.pairs where a_key = key and not is_asked_by_a and ${isSince(since)}
               union all
               select 1 from matching.pairs where b_key = key and is_asked_by_a and ${isSince(since)})
           as pairs) as found`.execute(db);
  return new Map(rows.map(({ key, found }) => [key.toString('hex'), found]));
}

export interface NewPair {
  readonly id: bigint;
  readonly aKey: Buffer;
  readonly bKey: Buffer;
  readonly isAskedByA: boolean;
  readonly week: Day;
  readonly details: Buffer;
}

/** Skips pairs that exist: two people may search at the same time and find each other. */
export async function insertPairs(tx: MatchingDb, pairs: readonly NewPair[]): Promise<void> {
  if (pairs.length === 0) return;
  const each = <K extends keyof NewPair>(column: K) => pairs.map((pair) => pair[column]);
  await sql`
    insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, details)
    select * from unnest(${each('id')}::bigint[], ${each('aKey')}::bytea[], ${each('bKey')}::bytea[],
                         ${each('isAskedByA')}::boolean[], ${each('week')}::date[], ${each('details')}::bytea[])
    on conflict on constraint pairs_two do nothing`.execute(tx);
}

/** Excludes erasure during a rewrite: a rewrite deletes and reinserts rows, so a concurrent delete would miss them. */
export async function lockRewrite(tx: MatchingDb, mode: 'rewrite' | 'delete'): Promise<void> {
  await (
    mode === 'rewrite'
      ? sql`select pg_advisory_xact_lock(hashtext('matching.settling'))`
      : sql`select pg_advisory_xact_lock_shared(hashtext('matching.settling'))`
  ).execute(tx);
}

const pairs = rewrittenTable('matching.pairs', 'id');

export interface RewriteBatch {
  readonly after: bigint;
  readonly limit: number;
  /** Their day is over: they need no further rewrite. */
  readonly isFinal: boolean;
}

/**
 * Rewrites a batch of the day's pairs in the order of their random ids, so that physical row order does not reveal write
 * order. Returns the last id, null at the end. Batches are small, because answers to these pairs wait for the commit.
 */
export async function rewriteInIdOrder(
  tx: MatchingDb,
  { after, limit, isFinal }: RewriteBatch,
): Promise<bigint | null> {
  const rows = await tx
    .selectFrom('matching.pairs')
    .select('id')
    // As in the condition of its index.
    .where(sql<SqlBool>`is_fresh`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  await rewriteRows(tx, pairs, {
    where: sql`is_fresh and id = any(${ids}::bigint[])`,
    set: { is_fresh: !isFinal },
  });
  return ids.at(-1) ?? null;
}

export async function deletePairs(tx: MatchingDb, key: Buffer): Promise<void> {
  await tx
    .deleteFrom('matching.pairs')
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

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

/** One batch of the pairs of a week, in id order. */
export async function listPairsOfWeek(tx: MatchingDb, week: Day, after: bigint, limit: number) {
  return tx
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('week', '=', week)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function moveToWeek(
  tx: MatchingDb,
  pairs: readonly Pick<PairRow, 'id' | 'details'>[],
  week: Day,
): Promise<void> {
  await sql`
    update matching.pairs as pair set week = ${week}::date, is_fresh = true, details = moved.details
      from unnest(${pairs.map(({ id }) => id)}::bigint[], ${pairs.map(({ details }) => details)}::bytea[])
             as moved (id, details)
     where pair.id = moved.id`.execute(tx);
}

export async function deletePairsById(tx: MatchingDb, ids: readonly bigint[]): Promise<void> {
  await sql`delete from matching.pairs where id = any(${ids}::bigint[])`.execute(tx);
}
