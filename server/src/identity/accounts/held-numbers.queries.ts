import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import type { JobRows } from '../../platform/job.ts';
import { lockingOutWriters, rewriteTable } from '../../platform/rewrite-rows.ts';
import { matchesEntry } from './accounts.queries.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

export async function insertHeldNumber(
  tx: IdentityDb,
  entry: PhoneIndexEntry,
  heldUntil: Day,
): Promise<void> {
  const { keyId, wrappedBy, idx } = entry;
  await tx
    .insertInto('identity.heldNumbers')
    .values({ keyId, wrappedBy: [...wrappedBy], idx, heldUntil })
    .onConflict((conflict) => conflict.columns(['keyId', 'idx']).doUpdateSet({ heldUntil }))
    .execute();
}

export async function isNumberHeld(
  db: IdentityDb,
  entries: readonly PhoneIndexEntry[],
  today: Day,
): Promise<boolean> {
  const row = await db
    .selectFrom('identity.heldNumbers')
    .select('keyId')
    .where('heldUntil', '>', today)
    .where(matchesEntry(entries))
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteReleased(tx: IdentityDb, today: Day): Promise<void> {
  await tx.deleteFrom('identity.heldNumbers').where('heldUntil', '<=', today).execute();
}

const heldNumbers = lockingOutWriters('identity.held_numbers', 'idx');

/** In the order of their hashes, which is random: their physical order is the order of leaving. */
export const rewriteHeldNumbers = (db: IdentityDb, rows: JobRows) => rewriteTable(db, rows, heldNumbers);
