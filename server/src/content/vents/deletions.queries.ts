import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';

/**
 * Vents of this length that were created before a time, in the order of ids. The states are part of the text, so that
 * every plan can use the partial indexes. Materialized: with the order and the limit in one statement, the planner walks
 * all vents by id, as it expects to find enough of them soon.
 */
export async function listOver(
  db: ContentDb,
  {
    keepDays,
    createdBefore,
    after,
    limit,
  }: { keepDays: number; createdBefore: Date; after: bigint; limit: number },
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    with ended as materialized (
      select id from content.vents
       where keep_days = ${keepDays} and created_at <= ${createdBefore} and state <> 'author_deleted')
    select id from ended where id > ${after} order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function markOver(db: ContentDb, ids: readonly bigint[]): Promise<void> {
  await sql`
    with over as materialized (
      select id from content.vents where id = any(${ids}::bigint[]) order by id for no key update)
    update content.vents as vent set state = 'author_deleted' from over
     where vent.id = over.id and state <> 'author_deleted'`.execute(db);
}

export interface DeletedVent {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly keepDays: number | null;
}

/** Vents that their authors deleted, or whose time is over. */
export async function listDeleted(db: ContentDb, after: bigint, limit: number): Promise<DeletedVent[]> {
  const { rows } = await sql<DeletedVent>`
    select id, created_at, keep_days from content.vents
     where state = 'author_deleted' and id > ${after} order by id limit ${limit}`.execute(db);
  return rows;
}

/** Deletes all that refers to a vent but its counters. Writers lock the vent first. */
export async function emptyVent(tx: ContentDb, ventId: bigint): Promise<void> {
  await sql`select id from content.vents where id = ${ventId} for update`.execute(tx);
  await sql`
    with comments as (delete from content.comments where vent_id = ${ventId}),
         reactions as (delete from content.reactions where vent_id = ${ventId}),
         thanks as (delete from content.thanks where vent_id = ${ventId}),
         closed as (delete from content.shut_outs where vent_id = ${ventId})
    delete from content.vent_search where vent_id = ${ventId}`.execute(tx);
}

export async function listSlotsInUse(db: ContentDb, slotKeys: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ slotKey: Buffer }>`
    select slot_key from content.vents where slot_key = any(${slotKeys}::bytea[])`.execute(db);
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
 * Deletes the row and, by cascade, its counters, reactions, comments and search words. Writers of those lock the vent
 * first, and the advisory lock keeps trending from being rewritten meanwhile: this order of locks has no deadlock.
 */
export async function deleteVentRow(tx: ContentDb, ventId: bigint): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('content.trending'))`.execute(tx);
  const row = await tx
    .with('forgotten', (qb) => qb.deleteFrom('content.thanks').where('ventId', '=', ventId))
    .deleteFrom('content.vents')
    .where('id', '=', ventId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
