import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import { matchesEntry } from './accounts.queries.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

export async function holdNumber(tx: IdentityDb, entry: PhoneIndexEntry, heldUntil: Day): Promise<void> {
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

/** Rewrites all rows in the order of their hashes, which is random: their physical order is the order of leaving. */
export async function rewriteHeldNumbers(tx: IdentityDb): Promise<void> {
  await sql`
    with gone as (delete from identity.held_numbers returning key_id, idx, wrapped_by, held_until)
    insert into identity.held_numbers (key_id, idx, wrapped_by, held_until)
    select key_id, idx, wrapped_by, held_until from gone order by idx`.execute(tx);
}
