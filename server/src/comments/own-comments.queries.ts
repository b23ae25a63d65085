import { sql, type SqlBool } from 'kysely';
import type { ContentDb } from '../platform/db.ts';

const idsOf = (rows: readonly { id: bigint }[]): bigint[] => rows.map(({ id }) => id);

export async function listNamedIds(db: ContentDb, userId: bigint): Promise<bigint[]> {
  return idsOf(await db.selectFrom('content.comments').select('id').where('userId', '=', userId).execute());
}

/** What authors said under their own vents. */
export async function listAuthorIds(db: ContentDb, authorKey: Buffer): Promise<bigint[]> {
  const rows = await db
    .selectFrom('content.comments')
    .select('id')
    .where('writerKey', '=', authorKey)
    // Not as a value: the index that serves this holds the authors' alone.
    .where(sql<SqlBool>`is_author`)
    .execute();
  return idsOf(rows);
}

export async function listIdsInSlots(db: ContentDb, slotKeys: readonly Buffer[]): Promise<bigint[]> {
  const rows = await db
    .selectFrom('content.comments')
    .select('id')
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .execute();
  return idsOf(rows);
}

/**
 * What was said as Anonymous before there were slots, or by a server of that release, a batch at a time: whose it
 * is can only be told by sealing again.
 */
export async function listWithoutSlot(db: ContentDb, afterId: bigint, limit: number) {
  return db
    .selectFrom('content.comments')
    .select(['id', 'ventId', 'writerKey'])
    .where('writerKey', 'is not', null)
    .where('slotKey', 'is', null)
    .where(sql<SqlBool>`not is_author`)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countTaken(db: ContentDb, takenKeys: readonly Buffer[]): Promise<number> {
  const { count } = await db
    .selectFrom('content.takenSlots')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('takenKey', '=', sql<Buffer>`any(${takenKeys}::bytea[])`)
    .executeTakeFirstOrThrow();
  return count;
}

/** False when it was taken before. Two at once wait for each other here, and one of them gets it. */
export async function takeSlot(tx: ContentDb, takenKey: Buffer): Promise<boolean> {
  const row = await tx
    .insertInto('content.takenSlots')
    .values({ takenKey })
    .onConflict((conflict) => conflict.column('takenKey').doNothing())
    .returning('takenKey')
    .executeTakeFirst();
  return row !== undefined;
}
