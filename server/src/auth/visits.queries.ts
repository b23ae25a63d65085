import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';

/**
 * For a transaction that writes rows anew in the order of ids. An index is walked in that order, whatever the order of
 * the list; a table would be walked as its rows lie, which may be the order in which people came.
 */
export async function goByIndex(tx: IdentityDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('identity.visits')),
                   set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
    tx,
  );
}

export interface Visitors {
  readonly userIds: readonly number[];
  readonly sessionIds: readonly number[];
}

/**
 * Every row of these people is written, also one that knows the day or has none: whatever was written of it that day,
 * at a sign-in or for a new name, was written at its moment.
 */
export async function writeVisits(
  tx: IdentityDb,
  { userIds, sessionIds }: Visitors,
  day: Day,
): Promise<void> {
  await sql`
    update identity.users set last_seen_on = greatest(last_seen_on, ${day}::date)
     where id = any(${userIds}::bigint[])`.execute(tx);
  await sql`
    update identity.sessions set last_seen_on = greatest(last_seen_on, ${day}::date)
     where id = any(${sessionIds}::bigint[])`.execute(tx);
  for (const table of ['phone_index', 'devices', 'recovery_codes', 'held_usernames']) {
    await sql`
      update ${sql.table(`identity.${table}`)} set user_id = user_id where user_id = any(${userIds}::bigint[])`.execute(
      tx,
    );
  }
}
