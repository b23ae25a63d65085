import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';

export interface HeldRow {
  readonly slotKey: Buffer;
  readonly sealed: Buffer;
}

export async function insertHeld(tx: ContentDb, row: HeldRow & { readonly goesOutAt: Date }): Promise<void> {
  await tx.insertInto('content.heldVents').values(row).execute();
}

/** In no order. */
export async function listHeld(db: ContentDb, slotKeys: readonly Buffer[]): Promise<HeldRow[]> {
  return db
    .selectFrom('content.heldVents')
    .select(['slotKey', 'sealed'])
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .execute();
}

/** In the order of their keys: those of one minute go out in no order of writing. */
export async function listDue(db: ContentDb, now: Date, limit: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('content.heldVents')
    .select('slotKey')
    .where('goesOutAt', '<=', now)
    .orderBy('slotKey')
    .limit(limit)
    .execute();
  return rows.map(({ slotKey }) => slotKey);
}

/** Undefined where it went out or was deleted meanwhile. */
export async function takeHeld(tx: ContentDb, slotKey: Buffer): Promise<HeldRow | undefined> {
  return tx
    .deleteFrom('content.heldVents')
    .where('slotKey', '=', slotKey)
    .returning(['slotKey', 'sealed'])
    .executeTakeFirst();
}

export async function deleteHeld(db: ContentDb, slotKeys: readonly Buffer[]): Promise<void> {
  await db
    .deleteFrom('content.heldVents')
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .execute();
}
