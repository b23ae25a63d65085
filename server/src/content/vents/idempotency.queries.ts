import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';

/** True when the key is new. Concurrent claims of one key wait here for each other. */
export async function insertKey(tx: ContentDb, key: Buffer, today: Day): Promise<boolean> {
  const row = await tx
    .insertInto('content.idempotency')
    .values({ key, sentOn: today })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateResult(tx: ContentDb, key: Buffer, result: Buffer): Promise<void> {
  await tx.updateTable('content.idempotency').set({ result }).where('key', '=', key).execute();
}

/**
 * Takes `FOR KEY SHARE`, which makes the transaction a write: its commit waits for synchronous replication before the
 * replay is answered. The first request may have been answered 503 because its own wait was cancelled.
 */
export async function findResult(db: ContentDb, key: Buffer): Promise<Buffer | null> {
  const query = db.selectFrom('content.idempotency').select('result').where('key', '=', key).forKeyShare();
  // A concurrent rewrite deletes and reinserts the row: the second read finds it.
  const row = (await query.executeTakeFirst()) ?? (await query.executeTakeFirst());
  return row?.result ?? null;
}

export async function deleteKeysBefore(db: ContentDb, day: Day): Promise<void> {
  await db.deleteFrom('content.idempotency').where('sentOn', '<', day).execute();
}
