import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import {
  registered,
  rewriteRows,
  rewrittenTable,
  type BatchedTable,
  type RewrittenTable,
} from '../../platform/rewrite-rows.ts';

/** The positions, from 0, of the keys that are taken. They are concatenated, and may belong to several people. */
const takenPositions = (takenKeys: Buffer) => sql`
    select slot.n as position
      from (values (${takenKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) as slot (n)
     cross join lateral (select 1 from content.taken_slots
                          where taken_key = substring(given.keys from slot.n * 16 + 1 for 16) limit 1) as taken`;

export async function listTakenPositions(db: ContentDb, takenKeys: Buffer): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`${takenPositions(takenKeys)}`.execute(db);
  return rows.map(({ position }) => position);
}

/** What the first statement of a write finds out besides. */
export interface AskedBesides<T> {
  /** Whether this idempotency key is used. */
  readonly key: Buffer | null;
  /** One row at most. */
  readonly also: RawBuilder<T>;
}

export const nothingBesides: AskedBesides<unknown> = { key: null, also: sql`select` };

export interface FoundTaken<T> {
  readonly positions: number[];
  readonly isUsed: boolean;
  readonly also: T | null;
}

export async function findTaken<T>(
  db: ContentDb,
  takenKeys: Buffer,
  { key, also }: AskedBesides<T>,
): Promise<FoundTaken<T>> {
  const { rows } = await sql<{ positions: number[]; isUsed: boolean }>`
    select array(${takenPositions(takenKeys)}) as positions,
           exists (select from content.idempotency where key = ${key}::bytea) as is_used, also.*
      from (select) as one left join (${also}) as also on true`.execute(db);
  const { positions, isUsed, ...columns } = rows[0] as (typeof rows)[0];
  const isNothing = Object.values(columns).every((value) => value === null);
  return { positions, isUsed, also: isNothing ? null : (columns as T) };
}

/** What a write claims with its first statement: the slot, and the idempotency key with what it made. */
export interface Claims {
  readonly takenKey: Buffer;
  readonly key: Buffer | null;
  readonly sentOn: Day;
  readonly result: Buffer | null;
}

/**
 * Begins a statement that writes one item. The rest selects from `claimed`, which is empty where the slot was taken
 * meanwhile. Concurrent claims of one key wait here for each other, and one succeeds.
 */
export const claiming = ({ takenKey, key, sentOn, result }: Claims) => sql`
    with claimed as (
      insert into content.taken_slots (taken_key) values (${takenKey}) on conflict do nothing returning true
    ), keyed as (
      insert into content.idempotency (key, sent_on, result)
      select ${key}::bytea, ${sentOn}::date, ${result}::bytea from claimed where ${key}::bytea is not null
    )`;

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

export interface FreshTable {
  /** Not batched: a function of the owner rewrites it, the login deletes nothing there. */
  readonly table: BatchedTable | RewrittenTable;
  /** Rows have one: they stay fresh until it is over. */
  readonly day?: string;
}

const lockVents = <T>(tx: Kysely<T>, ventIds: readonly bigint[]) =>
  sql`select id from content.vents where id = any(${ventIds}::bigint[]) order by id for update`.execute(tx);

/** The counters of vents that are closed for comments or were switched. Writers lock the vent first. */
export const switchedStats = rewrittenTable('content.vent_stats', 'vent_id', {
  async around(tx, isInBatch, rewrite) {
    const { rows } = await sql<{ ventId: bigint }>`
      select vent_id from content.vent_stats where ${isInBatch}`.execute(tx);
    await lockVents(
      tx,
      rows.map(({ ventId }) => ventId),
    );
    await rewrite();
  },
});
export const isSwitched = sql<SqlBool>`(is_switched or not allow_comments)`;

/**
 * With rows of vents their counters are rewritten too: the order of recently updated counters would show when each vent was
 * last touched. Writers lock the vent before they change its comments, reactions or counters.
 */
const ofVents = (name: `content.${string}`, order: string) =>
  rewrittenTable(name, order, {
    async around(tx, isInBatch, rewrite) {
      const { rows } = await sql<{ ventId: bigint }>`
        select vent_id from ${sql.table(name)} where ${isInBatch}`.execute(tx);
      const ventIds = rows.map(({ ventId }) => ventId);
      await lockVents(tx, ventIds);
      await rewrite();
      await rewriteRows(tx, switchedStats, { where: sql`vent_id = any(${ventIds}::bigint[])` });
    },
  });

/** Tables whose rows are rewritten while `is_fresh`. */
export const freshTables = {
  comments: { table: ofVents('content.comments', 'slot_key'), day: 'said_on' },
  reactions: { table: ofVents('content.reactions', 'reactor_key') },
  shutOuts: { table: ofVents('content.shut_outs', 'voice_key') },
  // Until they are shown: written in the order of keys each night, those of one day would lie together.
  thanks: { table: rewrittenTable('content.thanks', 'thank_key'), day: 'shown_from' },
  takenSlots: { table: registered({ name: 'content.taken_slots', order: 'taken_key' }) },
  held: { table: rewrittenTable('content.held_vents', 'slot_key') },
  idempotency: { table: rewrittenTable('content.idempotency', 'key') },
} satisfies Record<string, FreshTable>;

/** Rows up to this day lose `is_fresh` and are not rewritten again. Null rewrites all rows and keeps them fresh. */
export const freshUntil = ({ day }: FreshTable, endOf: Day | null) => ({
  where: endOf && day ? sql<SqlBool>`is_fresh and ${sql.ref(day)} <= ${endOf}::date` : sql<SqlBool>`is_fresh`,
  set: { is_fresh: endOf === null },
});

/** Stops counting at `max`. */
export async function countFresh(db: ContentDb, { table }: FreshTable, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from (select 1 from ${sql.table(table.name)} where is_fresh limit ${max}) as seen`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Rewrites one batch of fresh rows after a key that the login may not delete. Returns the last key. */
export async function rewriteTakenSlots(
  tx: ContentDb,
  after: Buffer,
  staysFresh: boolean,
): Promise<Buffer | null> {
  const { rows } = await sql<{ last: Buffer | null }>`
    select content.rewrite_taken_slots(${after}, 1000, ${staysFresh}) as last`.execute(tx);
  return rows[0]?.last ?? null;
}
