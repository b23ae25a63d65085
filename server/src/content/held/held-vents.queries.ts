import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';
import { claiming, type Claims } from '../slots/slots.queries.ts';

export interface HeldRow {
  readonly slotKey: Buffer;
  readonly sealed: Buffer;
}

export interface DueRow extends HeldRow {
  readonly goesOutAt: Date;
}

/** With what it claims. False where that was taken. */
export async function insertHeld(db: ContentDb, row: DueRow, claims: Claims): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    ${claiming(claims)}
    insert into content.held_vents (slot_key, goes_out_at, sealed)
    select ${row.slotKey}, ${row.goesOutAt}, ${row.sealed} from claimed`.execute(db);
  return numAffectedRows > 0n;
}

/** In no order. */
export async function listHeld(db: ContentDb, slotKeys: readonly Buffer[]): Promise<HeldRow[]> {
  return db
    .selectFrom('content.heldVents')
    .select(['slotKey', 'sealed'])
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .execute();
}

/** The same, in the order of their keys: none of them goes out meanwhile. */
export async function lockHeld(tx: ContentDb, slotKeys: readonly Buffer[]): Promise<HeldRow[]> {
  return tx
    .selectFrom('content.heldVents')
    .select(['slotKey', 'sealed'])
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .orderBy('slotKey')
    .forUpdate()
    .execute();
}

/** Those that are due by then, after a key. Materialized: else the planner walks all of them in the order of keys. */
export async function listDue(db: ContentDb, by: Date, after: Buffer, limit: number): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    with due as materialized (
      select slot_key, sealed, goes_out_at from content.held_vents where goes_out_at <= ${by})
    select * from due where slot_key > ${after} order by slot_key limit ${limit}`.execute(db);
  return rows;
}

/** Fresh again: an update moves the row to the end of its table. */
export async function updateSealed(tx: ContentDb, { slotKey, sealed }: HeldRow): Promise<void> {
  await tx
    .updateTable('content.heldVents')
    .set({ sealed, isFresh: true })
    .where('slotKey', '=', slotKey)
    .execute();
}

export async function updateMoment(db: ContentDb, slotKey: Buffer, goesOutAt: Date): Promise<void> {
  await db
    .updateTable('content.heldVents')
    .set({ goesOutAt, isFresh: true })
    .where('slotKey', '=', slotKey)
    .execute();
}

/** False where it went out or was deleted meanwhile. */
export async function deleteHeld(db: ContentDb, slotKeys: readonly Buffer[]): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('content.heldVents')
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
