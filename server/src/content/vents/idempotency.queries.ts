import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';

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
