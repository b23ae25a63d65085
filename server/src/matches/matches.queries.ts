import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import { statement, type MatchingDb } from '../platform/db.ts';
import type { Answer } from './matches.state.ts';

export interface ProfileRow {
  readonly matchKey: Buffer;
  readonly cell: number;
  readonly shuffle: number;
  readonly generation: number;
  readonly sealed: Buffer;
}

export async function insertProfiles(db: MatchingDb, rows: readonly ProfileRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into matching.match_profiles (match_key, cell, shuffle, generation, sealed)
    select * from unnest(${rows.map((row) => row.matchKey)}::bytea[], ${rows.map((row) => row.cell)}::smallint[],
                         ${rows.map((row) => row.shuffle)}::int[], ${rows.map((row) => row.generation)}::int[],
                         ${rows.map((row) => row.sealed)}::bytea[])
    on conflict do nothing`.execute(db);
}

export async function findProfiles(db: MatchingDb, matchKeys: readonly Buffer[]) {
  return statement<{ matchKey: Buffer; sealed: Buffer }>`
    select match_key, sealed from matching.match_profiles where match_key = any(${matchKeys}::bytea[])`.rows(
    db,
  );
}

/**
 * From each cell so many, beginning at a place that chance picked: all keys in one run of bytes, and all that is
 * sealed in another. A thousand rows cost more to take apart than to read.
 */
export async function searchCells(
  db: MatchingDb,
  wanted: readonly { readonly cell: number; readonly most: number }[],
  from: number,
): Promise<{ keys: Buffer; sealed: Buffer }> {
  const [found] = await statement<{ keys: Buffer | null; sealed: Buffer | null }>`
    select string_agg(picked.match_key, ''::bytea) as keys, string_agg(picked.sealed, ''::bytea) as sealed
      from unnest(${wanted.map(({ cell }) => cell)}::smallint[], ${wanted.map(({ most }) => most)}::int[])
             as wanted (cell, most)
     cross join lateral (
       (select match_key, sealed from matching.match_profiles
         where cell = wanted.cell and shuffle >= ${from} order by shuffle limit wanted.most)
       union all
       (select match_key, sealed from matching.match_profiles
         where cell = wanted.cell and shuffle < ${from} order by shuffle limit wanted.most)
       limit wanted.most) as picked`.rows(db);
  return { keys: found?.keys ?? Buffer.alloc(0), sealed: found?.sealed ?? Buffer.alloc(0) };
}

export async function deleteProfile(db: MatchingDb, matchKey: Buffer): Promise<void> {
  await db.deleteFrom('matching.matchProfiles').where('matchKey', '=', matchKey).execute();
}

/** A rebuild writes rows anew, and whoever leaves meanwhile must not be written back: the two take turns. */
export async function lockRebuild(tx: MatchingDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('matching.rebuild'))`.execute(tx);
}

/** Gives the keys that were there. */
export async function takeProfiles(tx: MatchingDb, matchKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await tx
    .deleteFrom('matching.matchProfiles')
    .where('matchKey', '=', sql<Buffer>`any(${matchKeys}::bytea[])`)
    .returning('matchKey')
    .execute();
  return rows.map(({ matchKey }) => matchKey);
}

export async function currentGeneration(db: MatchingDb): Promise<number> {
  const [row] = await statement<{ generation: number }>`select generation from matching.rebuilds`.rows(db);
  if (!row) throw new Error('matching has no generation');
  return row.generation;
}

interface Counted {
  readonly generation: number;
  readonly authorsByEmotion: ReadonlyMap<string, number>;
  readonly peopleByTag: ReadonlyMap<number, number>;
}

/** Whoever was not written this time has been away for too long. Those who came meanwhile are of no generation yet. */
export async function endRebuild(tx: MatchingDb, counted: Counted): Promise<void> {
  const { generation, authorsByEmotion, peopleByTag } = counted;
  await tx
    .deleteFrom('matching.matchProfiles')
    .where('generation', '>', 0)
    .where('generation', '<', generation)
    .execute();
  await tx.deleteFrom('matching.emotionAuthors').execute();
  await sql`
    insert into matching.emotion_authors (emotion, authors)
    select * from unnest(${[...authorsByEmotion.keys()]}::text[], ${[...authorsByEmotion.values()]}::int[])`.execute(
    tx,
  );
  await tx.deleteFrom('matching.tagPeople').execute();
  await sql`
    insert into matching.tag_people (tag, people)
    select * from unnest(${[...peopleByTag.keys()]}::int[], ${[...peopleByTag.values()]}::int[])`.execute(tx);
  await tx.updateTable('matching.rebuilds').set({ generation }).execute();
}

export async function listEmotionAuthors(db: MatchingDb) {
  return db.selectFrom('matching.emotionAuthors').select(['emotion', 'authors']).execute();
}

export async function listTagPeople(db: MatchingDb) {
  return db.selectFrom('matching.tagPeople').select(['tag', 'people']).execute();
}

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
  'isThin',
  'generation',
  'details',
] as const;

export type PairRow = Awaited<ReturnType<typeof listPairs>>[number];

/** All pairs somebody is in, those of the past as long as they are remembered. */
export async function listPairs(db: MatchingDb, key: Buffer) {
  return db
    .selectFrom('matching.matchPairs')
    .select(pairColumns)
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

/** The pair, if it is theirs, kept from changing until the transaction ends. */
export async function lockPair(tx: MatchingDb, id: bigint, key: Buffer): Promise<PairRow | undefined> {
  return tx
    .selectFrom('matching.matchPairs')
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
}

/**
 * The next place among the answers of a day that either of two people can see. Enough for both to see theirs
 * in the order in which they came, and nothing that orders all the answers there are.
 */
export async function nextOrder(tx: MatchingDb, { aKey, bKey }: PairRow, today: Day): Promise<number> {
  const two = [aKey, bKey];
  const { rows } = await sql<{ next: number }>`
    select 1 + coalesce(max(greatest(case when a_answered_on = ${today} then a_order end,
                                     case when b_answered_on = ${today} then b_order end)), 0) as next
      from matching.match_pairs
     where a_key = any(${two}::bytea[]) or b_key = any(${two}::bytea[])`.execute(tx);
  return rows[0]?.next ?? 1;
}

export async function recordAnswer(
  tx: MatchingDb,
  id: bigint,
  side: 'a' | 'b',
  { answer, today, order, closesOn, forgetOn }: AnswerChange,
): Promise<void> {
  await tx
    .updateTable('matching.matchPairs')
    .set({
      closesOn,
      forgetOn,
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

/** How many each has not answered yet. */
export async function countUnanswered(
  db: MatchingDb,
  keys: readonly Buffer[],
  today: Day,
): Promise<ReadonlyMap<string, number>> {
  const rows = await statement<{ key: Buffer; count: number }>`
    select key, count(*)::int as count
      from (select a_key as key from matching.match_pairs
             where a_key = any(${keys}::bytea[]) and a_answer = 'none' and closes_on > ${today}
            union all
            select b_key from matching.match_pairs
             where b_key = any(${keys}::bytea[]) and b_answer = 'none' and closes_on > ${today}) as waiting
     group by key`.rows(db);
  return new Map(rows.map(({ key, count }) => [key.toString('hex'), count]));
}

export interface NewPair {
  readonly id: bigint;
  readonly aKey: Buffer;
  readonly bKey: Buffer;
  readonly closesOn: Day;
  readonly forgetOn: Day;
  readonly isThin: boolean;
  readonly generation: number;
  readonly details: Buffer;
}

/** One of each: where two ask at the same instant, the second finds it made. */
export async function insertPairs(tx: MatchingDb, pairs: readonly NewPair[]): Promise<void> {
  if (pairs.length === 0) return;
  const each = <K extends keyof NewPair>(column: K) => pairs.map((pair) => pair[column]);
  await statement`
    insert into matching.match_pairs (id, a_key, b_key, closes_on, forget_on, is_thin, generation, details)
    select * from unnest(${each('id')}::bigint[], ${each('aKey')}::bytea[], ${each('bKey')}::bytea[],
                         ${each('closesOn')}::date[], ${each('forgetOn')}::date[], ${each('isThin')}::boolean[],
                         ${each('generation')}::int[], ${each('details')}::bytea[])
    on conflict on constraint match_pairs_two do nothing`.rows(tx);
}

/** Only what nobody has said yes to, and nobody has looked at again meanwhile. */
export async function remakePair(
  db: MatchingDb,
  pair: PairRow,
  made: Pick<NewPair, 'isThin' | 'generation' | 'details'>,
): Promise<void> {
  await db
    .updateTable('matching.matchPairs')
    .set({ ...made, isFresh: true })
    .where('id', '=', pair.id)
    .where('generation', '=', pair.generation)
    .where('aAnswer', '!=', 'yes')
    .where('bAnswer', '!=', 'yes')
    .execute();
}

/**
 * Writes pairs of late once more, in the order of their numbers, so that rows do not lie as they came. Gives how
 * many; few at a time, because whoever answers one of them waits.
 */
export async function settlePairs(tx: MatchingDb, limit: number): Promise<number> {
  const { rows } = await sql<{ settled: number }>`
    with moved as (
      delete from matching.match_pairs
       where id in (select id from matching.match_pairs where is_fresh order by id limit ${limit})
      returning *),
    written as (
      insert into matching.match_pairs
      select id, a_key, b_key, a_answer, b_answer, a_answered_on, b_answered_on, a_order, b_order,
             closes_on, forget_on, is_thin, generation, false, details
        from moved order by id
      returning 1)
    select count(*)::int as settled from written`.execute(tx);
  return rows[0]?.settled ?? 0;
}

export async function deletePairsOf(tx: MatchingDb, key: Buffer): Promise<void> {
  await tx
    .deleteFrom('matching.matchPairs')
    .where((eb) => eb.or([eb('aKey', '=', key), eb('bKey', '=', key)]))
    .execute();
}

export async function deleteForgottenPairs(db: MatchingDb, today: Day): Promise<void> {
  await db.deleteFrom('matching.matchPairs').where('forgetOn', '<=', today).execute();
}
