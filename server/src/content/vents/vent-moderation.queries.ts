import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';
import { nextState, statesAllowing, type ModerationEvent } from './vents.state.ts';

/**
 * True if the state changed. The update moves the row to the end of its table: `state` is in the conditions of indexes,
 * so PostgreSQL cannot update it in place. Until the next night the position shows the order of decisions (`rewrite`).
 */
export async function changeState(db: ContentDb, ventId: bigint, event: ModerationEvent): Promise<boolean> {
  const from = statesAllowing(event);
  const row = await db
    .updateTable('content.vents')
    // Each of these events leads to one state, whatever the state before.
    .set({ state: nextState(from[0] as (typeof from)[number], event) ?? undefined })
    .where('id', '=', ventId)
    .where('state', 'in', from)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function listExisting(db: ContentDb, ventIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await db
    .selectFrom('content.vents')
    .select('id')
    .where('id', '=', sql<bigint>`any(${ventIds}::bigint[])`)
    .where('state', '<>', 'author_deleted')
    .execute();
  return rows.map(({ id }) => id);
}

export async function findText(db: ContentDb, ventId: bigint) {
  const row = await db
    .selectFrom('content.vents')
    .select(['title', 'body'])
    .where('id', '=', ventId)
    .where('state', '=', 'visible')
    .executeTakeFirst();
  return row ?? null;
}

export async function lockRemoved(tx: ContentDb, ventId: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('content.vents')
    .select('id')
    .where('id', '=', ventId)
    .where('state', '=', 'removed')
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Writes the row again as it is. One statement for each: an UPDATE of several has no order. */
export async function rewrite(db: ContentDb, ventId: bigint): Promise<void> {
  await sql`update content.vents set state = state where id = ${ventId} and state <> 'author_deleted'`.execute(
    db,
  );
}
