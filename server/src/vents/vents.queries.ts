import { sql, type SqlBool } from 'kysely';
import type { Day } from '../platform/clock.ts';
import { statement, type ContentDb } from '../platform/db.ts';
import { allOf } from './search-words.ts';
import { statesThatTake, type VentState } from './vents.state.ts';

export interface VentRow {
  readonly id: bigint;
  /** Encrypted (platform/speakers.ts). */
  readonly speaker: Buffer;
  readonly emotion: string;
  readonly title: string;
  readonly body: string;
  readonly hashtags: string[];
  readonly createdAt: Date;
  readonly heart: number;
  readonly hug: number;
  readonly listen: number;
  readonly comments: number;
  readonly allowComments: boolean;
  readonly state: VentState;
}

/**
 * Vents with their counters: all that is the same for every reader, in no order. Lists find ids first, by an index
 * alone, and come here with a handful: joined in one statement, a plan made for any page would sort the whole table.
 */
export async function findVents(db: ContentDb, ids: readonly bigint[]): Promise<VentRow[]> {
  if (ids.length === 0) return [];
  return statement<VentRow>`
    select vent.id, vent.speaker, vent.emotion, vent.title, vent.body, vent.hashtags, vent.created_at, vent.state,
           stats.heart, stats.hug, stats.listen, stats.comments, stats.allow_comments
      from content.vents as vent
      join content.vent_stats as stats on stats.vent_id = vent.id
     where vent.id = any(${ids})`.rows(db);
}

export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

const idsOf = (rows: readonly { id: bigint }[]): bigint[] => rows.map(({ id }) => id);

/**
 * A page of the feed, and how many there are, counted no further than `enough`; in the order of the feed,
 * so that its index is walked.
 */
export async function listNewest(db: ContentDb, { limit, offset }: Slice, enough: number) {
  const [found] = await statement<{ ids: string[]; count: number }>`
    select array(select id from content.vents where state = 'visible'
                  order by created_at desc, id desc limit ${limit} offset ${offset}) as ids,
           (select count(*) from (select 1 from content.vents where state = 'visible'
                                   order by created_at desc, id desc limit ${enough}) as seen)::int as count`.rows(
    db,
  );
  return { ids: (found?.ids ?? []).map(BigInt), count: found?.count ?? 0 };
}

/** Older than a given vent, which need not be visible any more. */
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
  return idsOf(rows);
}

/** A place in the order of vents, newest first. As text: a Date would cut the microseconds off. */
export interface Place {
  readonly at: string;
  readonly id: bigint;
}

const placeOf = (id: bigint | null, at: string): Place | null => (id === null ? null : { id, at });

export const newestPlace: Place = { at: 'infinity', id: 0n };

export async function findPlace(db: ContentDb, id: bigint): Promise<Place | undefined> {
  const [place] = await statement<Place>`
    select id, created_at::text as at from content.vents where id = ${id}`.rows(db);
  return place;
}

export interface Look {
  /** Those with all the words, newest first. */
  readonly ids: bigint[];
  /** How many have each of the words. */
  readonly counts: number[];
  /** The last one looked at; null where there were no more. */
  readonly last: Place | null;
}

/** Looks at the newest so many for tsqueries, at all of them together and at each alone. */
export async function lookAtNewest(
  db: ContentDb,
  words: readonly string[],
  before: Place,
  limit: number,
): Promise<Look> {
  const [found] = await statement<{ ids: string[]; counts: number[]; lastId: bigint | null; lastAt: string }>`
    with newest as materialized (
      select vent_id, created_at, words from content.vent_search
       where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
       order by created_at desc, vent_id desc limit ${limit}
    ), asked as materialized (
      select position, to_tsquery('simple', content.folded(word)) as query
        from unnest(${words}::text[]) with ordinality as typed (word, position)
    )
    select array(select newest.vent_id from newest join content.vents as vent on vent.id = newest.vent_id
                  where newest.words @@ to_tsquery('simple', content.folded(${allOf(words)})) and vent.state = 'visible'
                  order by newest.created_at desc, newest.vent_id desc) as ids,
           array(select (select count(*) from newest where newest.words @@ asked.query)::int
                   from asked order by position) as counts,
           last.vent_id as last_id, last.created_at::text as last_at
      from (values (true)) as once (is_so)
      left join (select vent_id, created_at from newest offset ${limit} - 1) as last on true`.rows(db);
  if (!found) throw new Error('nobody looked');
  const { ids, counts, lastId, lastAt } = found;
  return { ids: ids.map(BigInt), counts, last: placeOf(lastId, lastAt) };
}

/** Looks at the newest so many for all of them together, until there are enough. */
export async function walk(
  db: ContentDb,
  words: readonly string[],
  before: Place,
  { limit, enough }: { readonly limit: number; readonly enough: number },
): Promise<Pick<Look, 'ids' | 'last'>> {
  const [found] = await statement<{ ids: string[]; lastId: bigint | null; lastAt: string }>`
    select array(select vent.id
                   from (select vent_id, created_at, words from content.vent_search
                          where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
                          order by created_at desc, vent_id desc limit ${limit}) as passed
                  cross join lateral (select id from content.vents
                                       where id = passed.vent_id and state = 'visible' limit 1) as vent
                  where passed.words @@ to_tsquery('simple', content.folded(${allOf(words)}))
                  order by passed.created_at desc, passed.vent_id desc limit ${enough}) as ids,
           last.vent_id as last_id, last.created_at::text as last_at
      from (values (true)) as once (is_so)
      left join (select vent_id, created_at from content.vent_search
                  where (created_at, vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
                  order by created_at desc, vent_id desc limit 1 offset ${limit} - 1) as last on true`.rows(
    db,
  );
  if (!found) throw new Error('nobody walked');
  const { ids, lastId, lastAt } = found;
  return { ids: ids.map(BigInt), last: placeOf(lastId, lastAt) };
}

interface WordsFilter {
  /** A tsquery that the index is asked for. */
  readonly indexed: string;
  /** One that is held against what was found: of a frequent word the index would list every vent there is. */
  readonly rest: string | null;
  readonly before: Place;
}

/** Newest first; the words' own table has the order, so a frequent word stops early. */
export async function searchIds(
  db: ContentDb,
  { indexed, rest, before }: WordsFilter,
  limit: number,
): Promise<bigint[]> {
  return idsOf(
    await statement<{ id: bigint }>`
      select search.vent_id as id
        from content.vent_search as search
        join content.vents as vent on vent.id = search.vent_id
       where search.words @@ to_tsquery('simple', content.folded(${indexed}))
         and (${rest}::text is null or search.words @@ to_tsquery('simple', content.folded(${rest}))) is true
         and (search.created_at, search.vent_id) < (${before.at}::timestamptz, ${before.id}::bigint)
         and vent.state = 'visible'
       order by search.created_at desc, search.vent_id desc
       limit ${limit}`.rows(db),
  );
}

export interface NewVent {
  readonly speaker: Buffer;
  readonly slotKey: Buffer;
  readonly emotion: string;
  readonly title: string;
  readonly body: string;
  readonly hashtags: readonly string[];
  /** To the minute. */
  readonly createdAt: Date;
}

export async function insertVent(db: ContentDb, vent: NewVent, allowComments: boolean): Promise<bigint> {
  const { id } = await db
    .insertInto('content.vents')
    .values({ ...vent, hashtags: [...vent.hashtags] })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('content.ventStats').values({ ventId: id, allowComments }).execute();
  await sql`
    insert into content.vent_search (vent_id, created_at, words)
    values (${id}, ${vent.createdAt},
      setweight(to_tsvector('simple', content.folded(${vent.hashtags.join(' , ')})), 'A') ||
      setweight(to_tsvector('simple', content.folded(${vent.title})), 'B') ||
      setweight(to_tsvector('simple', content.folded(${vent.body})), 'D'))`.execute(db);
  return id;
}

/** True when this key was not there before; two at once wait for each other here. */
export async function claimIdempotencyKey(db: ContentDb, key: Buffer, today: Day): Promise<boolean> {
  const row = await db
    .insertInto('content.idempotency')
    .values({ key, sentOn: today })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

export async function settleIdempotencyKey(db: ContentDb, key: Buffer, result: Buffer): Promise<void> {
  await db.updateTable('content.idempotency').set({ result }).where('key', '=', key).execute();
}

/**
 * Held while it is read, which makes it a write: whoever answers "done" on the strength of it waits for the standbys
 * as the first one did. That one may have been answered 503 because its own wait was cancelled.
 */
export async function findIdempotentResult(db: ContentDb, key: Buffer): Promise<Buffer | null> {
  const row = await db
    .selectFrom('content.idempotency')
    .select('result')
    .where('key', '=', key)
    .forKeyShare()
    .executeTakeFirst();
  return row?.result ?? null;
}

export async function deleteOldIdempotencyKeys(db: ContentDb, before: Day): Promise<void> {
  await db.deleteFrom('content.idempotency').where('sentOn', '<', before).execute();
}

export async function markDeleted(db: ContentDb, ventId: bigint): Promise<boolean> {
  const row = await db
    .updateTable('content.vents')
    .set({ state: 'author_deleted' })
    .where('id', '=', ventId)
    .where('state', 'in', statesThatTake('delete'))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Who speaks in a vent, in whatever state it is: only its author asks. */
export async function findSpeaker(
  db: ContentDb,
  ventId: bigint,
): Promise<{ speaker: Buffer; state: VentState } | undefined> {
  const row = await db
    .selectFrom('content.vents')
    .select(['speaker', 'state'])
    .where('id', '=', ventId)
    .executeTakeFirst();
  return row && { speaker: row.speaker, state: row.state as VentState };
}

/** In place, on the counter's row: a vent's own row would move to the end of its table, and there stand out. */
export async function setAllowComments(
  tx: ContentDb,
  ventIds: readonly bigint[],
  allowComments: boolean,
): Promise<void> {
  await sql`select id from content.vents where id = any(${ventIds}::bigint[]) order by id for key share`.execute(
    tx,
  );
  await tx
    .updateTable('content.ventStats')
    .set({ allowComments, isSwitched: true })
    .where('ventId', '=', sql<bigint>`any(${ventIds}::bigint[])`)
    .where('allowComments', '<>', allowComments)
    .execute();
}

/** What reports and reactions ask before they touch a vent. */
export async function findVisible(
  db: ContentDb,
  ventId: bigint,
  { isHeld }: { readonly isHeld: boolean },
): Promise<{ speaker: Buffer; createdAt: Date } | undefined> {
  const vent = db
    .selectFrom('content.vents')
    .select(['speaker', 'createdAt'])
    .where('id', '=', ventId)
    .where('state', '=', 'visible');
  return (isHeld ? vent.forKeyShare() : vent).executeTakeFirst();
}

export type StatColumn = 'heart' | 'hug' | 'listen' | 'comments';

/**
 * Counts a comment and gives it its number within the vent; nothing where the vent takes no comments at this moment.
 * Whoever comments on the same vent waits here.
 */
export async function addCommentToStats(db: ContentDb, ventId: bigint, ownWeight: number) {
  return db
    .updateTable('content.ventStats')
    .set((eb) => ({
      comments: eb('comments', '+', 1),
      lastNo: eb('lastNo', '+', 1),
      ownWeight: eb('ownWeight', '+', ownWeight),
    }))
    .where('ventId', '=', ventId)
    .where('allowComments', '=', true)
    .returning(['comments', 'lastNo'])
    .executeTakeFirst();
}

/** In the transaction of what it counts, so that the number is exact at once. */
export async function addToStats(
  db: ContentDb,
  ventId: bigint,
  column: StatColumn,
  change: number,
  ownWeight: number,
) {
  return db
    .updateTable('content.ventStats')
    .set((eb) => ({
      [column]: eb(column, '+', change),
      ownWeight: eb('ownWeight', '+', ownWeight),
    }))
    .where('ventId', '=', ventId)
    .returning(['heart', 'hug', 'listen', 'comments'])
    .executeTakeFirst();
}

export async function findStats(db: ContentDb, ventId: bigint) {
  return db
    .selectFrom('content.ventStats')
    .select(['heart', 'hug', 'listen'])
    .where('ventId', '=', ventId)
    .executeTakeFirst();
}

export async function readTrending(db: ContentDb) {
  return db.selectFrom('content.trending').select(['ventId', 'computedAt']).orderBy('position').execute();
}

/**
 * One process at a time; the others go on with what is there. Among the newest 20,000: anything older has
 * long been outweighed by its age. The number stands in the text: as a value, a plan made for any would
 * take it for a tenth of the table and read all counters there are.
 */
export async function rewriteTrending(db: ContentDb, now: Date, size: number): Promise<boolean> {
  const { rows } = await sql<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('content.trending')) as is_mine`.execute(db);
  if (!rows[0]?.isMine) return false;
  await sql`delete from content.trending`.execute(db);
  await sql`
    insert into content.trending (position, vent_id, computed_at)
    select row_number() over (order by score desc, id desc), id, ${now}
      from (
        select vent.id,
               (stats.heart + 2 * stats.hug + 2 * stats.listen + 3 * stats.comments - stats.own_weight)::float8
                 / power(greatest(extract(epoch from ${now}::timestamptz - vent.created_at), 0)::float8 / 3600 + 2, 1.8::float8)
                 as score
          from (select id, created_at from content.vents where state = 'visible'
                 order by created_at desc, id desc limit 20000) as vent
          join content.vent_stats as stats on stats.vent_id = vent.id
         order by score desc, vent.id desc
         limit ${size}) as best`.execute(db);
  return true;
}

export async function sampleSearchWords(db: ContentDb): Promise<void> {
  await sql`select content.sample_search_words()`.execute(db);
}

/** Vents that their authors deleted. The state stands in the text, so that every plan may take its index. */
export async function listDeletedIds(db: ContentDb, limit: number): Promise<bigint[]> {
  const rows = await statement<{ id: bigint }>`
    select id from content.vents where state = 'author_deleted' order by id limit ${limit}`.rows(db);
  return rows.map(({ id }) => id);
}

export async function listSlotsInUse(db: ContentDb, slotKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await statement<{ slotKey: Buffer }>`
    select slot_key from content.vents where slot_key = any(${slotKeys}::bytea[])`.rows(db);
  return rows.map(({ slotKey }) => slotKey);
}

export async function findIdInSlot(db: ContentDb, slotKey: Buffer): Promise<bigint | null> {
  const row = await db
    .selectFrom('content.vents')
    .select('id')
    .where('slotKey', '=', slotKey)
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * With everything that hangs on it: counters, reactions, comments, words. Whoever touches any of that
 * holds the vent first, and the list of trending is not rewritten meanwhile: so nobody waits in a circle.
 */
export async function deleteVentRow(tx: ContentDb, ventId: bigint): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('content.trending'))`.execute(tx);
  const row = await tx
    .deleteFrom('content.vents')
    .where('id', '=', ventId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
