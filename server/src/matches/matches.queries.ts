import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import { statement, type MatchingDb } from '../platform/db.ts';
import type { Answer } from './matches.state.ts';

const pairColumns = [
  'id',
  'aKey',
  'bKey',
  'aAnswer',
  'bAnswer',
  'aAnsweredOn',
  'bAnsweredOn',
  'aOrder',
  'bOrder',
  'closesOn',
  'forgetOn',
  'isAskedByA',
  'madeOn',
  'details',
] as const;

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
 * Those that are open or mutual. Most of somebody's pairs are past ones, which are remembered so that the two are kept
 * apart: after three months, hundreds with their details.
 */
export async function listLivePairs(db: MatchingDb, key: Buffer, today: Day): Promise<PairRow[]> {
  return db
    .selectFrom('matching.pairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .where((eb) =>
      eb.or([eb('closesOn', '>', today), eb.and([eb('aAnswer', '=', 'yes'), eb('bAnswer', '=', 'yes')])]),
    )
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

interface AnswerChange {
  readonly answer: Answer;
  readonly today: Day;
  readonly order: number;
  readonly closesOn: Day;
  readonly forgetOn: Day | null;
  readonly details: Buffer;
}

/**
 * The next position among the answers of a day that either of two people can see. Enough for both to see theirs
 * in the order in which they came, and nothing that orders all the answers there are.
 */
export async function nextOrder(tx: MatchingDb, { aKey, bKey }: PairRow, today: Day): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select 1 + coalesce(max(last), 0) as next
      from unnest(${[aKey, bKey]}::bytea[]) as key
     cross join lateral (
       select max(greatest(case when a_answered_on = ${today} then a_order end,
                           case when b_answered_on = ${today} then b_order end)) as last
         from matching.pairs where a_key = key or b_key = key) as answers`.execute(tx);
  return rows[0]?.next ?? 1;
}

export async function recordAnswer(
  tx: MatchingDb,
  id: bigint,
  side: 'a' | 'b',
  { answer, today, order, closesOn, forgetOn, details }: AnswerChange,
): Promise<void> {
  await tx
    .updateTable('matching.pairs')
    .set({
      closesOn,
      forgetOn,
      details,
      isFresh: true,
      ...(side === 'a'
        ? { aAnswer: answer, aAnsweredOn: today, aOrder: order }
        : { bAnswer: answer, bAnsweredOn: today, bOrder: order }),
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Pairs of these people are made, and people taken out, one after the other: in the order of their keys, so
 * that nobody waits in a circle.
 */
export async function lockPeople(tx: MatchingDb, keys: readonly Buffer[]): Promise<void> {
  const sorted = keys.toSorted((a, b) => a.compare(b)).map((key) => key.readBigInt64BE());
  await statement`select pg_advisory_xact_lock(lock) from unnest(${sorted}::bigint[]) as lock`.rows(tx);
}

export interface Places {
  /** Unanswered pairs that their own searches made. */
  readonly own: number;
  /** Unanswered pairs that the searches of others made. */
  readonly others: number;
  /** Pairs that their own searches made today, whatever became of them. */
  readonly madeToday: number;
}

/**
 * The places each has filled, by key in hex. They depend on their own answers, never on those of others. Key by key: the
 * planner knows nothing of how often a key occurs (its samples would outlive the rows), and would scan the table for many.
 */
export async function countPlaces(
  db: MatchingDb,
  keys: readonly Buffer[],
  today: Day,
): Promise<ReadonlyMap<string, Places>> {
  const rows = await statement<Places & { key: Buffer }>`
    select key, places.own, places.others, places.made_today
      from unnest(${keys}::bytea[]) as key
     cross join lateral (
       select count(*) filter (where is_own and is_waiting)::int as own,
              count(*) filter (where not is_own and is_waiting)::int as others,
              count(*) filter (where is_own and made_on = ${today}::date)::int as made_today
         from (select is_asked_by_a as is_own, made_on, a_answer = 'none' and closes_on > ${today}::date as is_waiting
                 from matching.pairs where a_key = key
               union all
               select not is_asked_by_a, made_on, b_answer = 'none' and closes_on > ${today}::date
                 from matching.pairs where b_key = key) as sides) as places`.rows(db);
  return new Map(rows.map(({ key, ...places }) => [key.toString('hex'), places]));
}

export interface NewPair {
  readonly id: bigint;
  readonly aKey: Buffer;
  readonly bKey: Buffer;
  readonly isAskedByA: boolean;
  readonly madeOn: Day;
  readonly closesOn: Day;
  readonly forgetOn: Day;
  readonly details: Buffer;
}

/** One of each: where two ask at the same instant, the second finds it made. */
export async function insertPairs(tx: MatchingDb, pairs: readonly NewPair[]): Promise<void> {
  if (pairs.length === 0) return;
  const each = <K extends keyof NewPair>(column: K) => pairs.map((pair) => pair[column]);
  await statement`
    insert into matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, closes_on, forget_on, details)
    select * from unnest(${each('id')}::bigint[], ${each('aKey')}::bytea[], ${each('bKey')}::bytea[],
                         ${each('isAskedByA')}::boolean[], ${each('madeOn')}::date[], ${each('closesOn')}::date[],
                         ${each('forgetOn')}::date[], ${each('details')}::bytea[])
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
      insert into matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, a_answer, b_answer, a_answered_on,
                                  b_answered_on, a_order, b_order, closes_on, forget_on, is_fresh, details)
      select id, a_key, b_key, is_asked_by_a, made_on, a_answer, b_answer, a_answered_on, b_answered_on, a_order,
             b_order, closes_on, forget_on, ${!isFinal}::boolean, details
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
