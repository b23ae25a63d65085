import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import { statement, type MatchingDb } from '../platform/db.ts';

const pairColumns = ['id', 'aKey', 'bKey', 'isAskedByA', 'madeOn', 'forgetOn', 'details'] as const;

export type PairRow = Awaited<ReturnType<typeof listPairs>>[number];

/** All pairs somebody is in, those of the past as long as they are remembered. */
export async function listPairs(db: MatchingDb, key: Buffer) {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

/**
 * Those that may be open, or are mutual. Most of somebody's pairs are past ones, which are remembered so that the two are
 * kept apart: after three months, hundreds with their details.
 */
export async function listLivePairs(db: MatchingDb, key: Buffer, madeAfter: Day): Promise<PairRow[]> {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .where((eb) => eb.or([eb('madeOn', '>', madeAfter), eb('forgetOn', 'is', null)]))
    .execute();
}

/** The keys of all whom somebody is or was in a pair with, as long as it is remembered. */
export async function listMet(db: MatchingDb, key: Buffer): Promise<Buffer[]> {
  const rows = await statement<{ met: Buffer }>`
    select b_key as met from matching.pairs where a_key = ${key}
    union all
    select a_key from matching.pairs where b_key = ${key}`.rows(db);
  return rows.map(({ met }) => met);
}

/** The pair, if it is theirs. */
export async function findPair(db: MatchingDb, id: bigint, key: Buffer): Promise<PairRow | undefined> {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .executeTakeFirst();
}

/** The same, kept from changing until the transaction ends. */
export async function lockPair(tx: MatchingDb, id: bigint, key: Buffer): Promise<PairRow | undefined> {
  return tx
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .forUpdate()
    .executeTakeFirst();
}

export async function updatePair(
  tx: MatchingDb,
  id: bigint,
  change: Pick<PairRow, 'details' | 'forgetOn'>,
): Promise<void> {
  await tx
    .updateTable('matching.pairs')
    .set({ ...change, isFresh: true })
    .where('id', '=', id)
    .execute();
}

/**
 * Pairs of these people are made, and people taken out, one after the other: in the order of their lock numbers, so that
 * nobody waits in a circle. The numbers are made for this use alone: every login of the database can read pg_locks.
 */
export async function lockPeople(tx: MatchingDb, locks: readonly bigint[]): Promise<void> {
  const sorted = locks.toSorted((a, b) => (a < b ? -1 : 1));
  await statement`select pg_advisory_xact_lock(lock) from unnest(${sorted}::bigint[]) as lock`.rows(tx);
}

/**
 * How many pairs the searches of others have made with each since a day, by key in hex. Whatever was answered: if an
 * answer made room, accounts of one person could tell by it that somebody refused one of them. Key by key: the planner
 * knows nothing of how often a key occurs (its samples would outlive the rows), and would scan the table for many.
 */
export async function countFound(
  db: MatchingDb,
  keys: readonly Buffer[],
  madeAfter: Day,
): Promise<ReadonlyMap<string, number>> {
  const rows = await statement<{ key: Buffer; found: number }>`
    select key, found.count as found
      from unnest(${keys}::bytea[]) as key
     cross join lateral (
       select count(*)::int as count
         from (select 1 from matching.pairs where a_key = key and not is_asked_by_a and made_on > ${madeAfter}::date
               union all
               select 1 from matching.pairs where b_key = key and is_asked_by_a and made_on > ${madeAfter}::date)
           as pairs) as found`.rows(db);
  return new Map(rows.map(({ key, found }) => [key.toString('hex'), found]));
}

export interface NewPair {
  readonly id: bigint;
  readonly aKey: Buffer;
  readonly bKey: Buffer;
  readonly isAskedByA: boolean;
  readonly madeOn: Day;
  readonly forgetOn: Day;
  readonly details: Buffer;
}

/** One of each: where two ask at the same instant, the second finds it made. */
export async function insertPairs(tx: MatchingDb, pairs: readonly NewPair[]): Promise<void> {
  if (pairs.length === 0) return;
  const each = <K extends keyof NewPair>(column: K) => pairs.map((pair) => pair[column]);
  await statement`
    insert into matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, forget_on, details)
    select * from unnest(${each('id')}::bigint[], ${each('aKey')}::bytea[], ${each('bKey')}::bytea[],
                         ${each('isAskedByA')}::boolean[], ${each('madeOn')}::date[], ${each('forgetOn')}::date[],
                         ${each('details')}::bytea[])
    on conflict on constraint pairs_two do nothing`.rows(tx);
}

/** Rewriting takes rows out and puts them back in one transaction: a deletion that runs meanwhile would miss them. */
export async function lockSettling(tx: MatchingDb, mode: 'rewrite' | 'delete'): Promise<void> {
  await (
    mode === 'rewrite'
      ? sql`select pg_advisory_xact_lock(hashtext('matching.settling'))`
      : sql`select pg_advisory_xact_lock_shared(hashtext('matching.settling'))`
  ).execute(tx);
}

export interface Settling {
  readonly after: bigint;
  readonly limit: number;
  /** Whether their day is over, so that they need no further rewriting. */
  readonly isFinal: boolean;
}

/**
 * Rewrites a batch of the day's pairs in the order of their random numbers, so that rows do not lie in the order of
 * writing. Gives the last number, null at the end. Small batches, since whoever answers one of them waits.
 */
export async function settlePairs(
  tx: MatchingDb,
  { after, limit, isFinal }: Settling,
): Promise<bigint | null> {
  const { rows } = await sql<{ last: bigint | null }>`
    with moved as (
      delete from matching.pairs
       where id in (select id from matching.pairs where is_fresh and id > ${after} order by id limit ${limit})
      returning *),
    written as (
      insert into matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, forget_on, is_fresh, details)
      select id, a_key, b_key, is_asked_by_a, made_on, forget_on, ${!isFinal}::boolean, details
        from moved order by id
      returning id)
    select max(id) as last from written`.execute(tx);
  return rows[0]?.last ?? null;
}

export async function deletePairsOf(tx: MatchingDb, key: Buffer): Promise<void> {
  await tx
    .deleteFrom('matching.pairs')
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

export async function deleteForgottenPairs(db: MatchingDb, today: Day): Promise<void> {
  await db.deleteFrom('matching.pairs').where('forgetOn', '<=', today).execute();
}
