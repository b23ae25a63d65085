import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';

/** Vents that their authors deleted. The state is part of the text, so that every plan can use the partial index. */
export async function listDeletedIds(db: ContentDb, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from content.vents where state = 'author_deleted' order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
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
    .deleteFrom('content.vents')
    .where('id', '=', ventId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
