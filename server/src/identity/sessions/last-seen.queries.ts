import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';

/**
 * Forces index scans for the rest of the transaction, so that rows are rewritten in id order. A sequential scan follows
 * the physical order, which can reveal when people signed in.
 */
export async function forceIndexOrder(tx: IdentityDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('identity.visits')),
                   set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
    tx,
  );
}

/** Tables with rows of users, apart from those with a last-seen day. */
export async function listTablesOfUsers(db: IdentityDb): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'identity' and c.relkind = 'r' and a.attname = 'user_id' and not a.attisdropped
       and not exists (select from pg_attribute d where d.attrelid = c.oid and d.attname = 'last_seen_on')
     order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

export interface Visitors {
  readonly userIds: readonly number[];
  readonly sessionIds: readonly number[];
}

/**
 * Rewrites every row of these visitors, also rows that already have the day or have no day at all: a sign-in or a
 * profile change may have written them at the moment of the visit. `tables` have a `user_id` and no day.
 */
export async function flushVisits(
  tx: IdentityDb,
  { userIds, sessionIds }: Visitors,
  day: Day,
  tables: readonly string[],
): Promise<void> {
  await sql`
    update identity.users set last_seen_on = greatest(last_seen_on, ${day}::date)
     where id = any(${userIds}::bigint[])`.execute(tx);
  await sql`
    update identity.sessions set last_seen_on = greatest(last_seen_on, ${day}::date)
     where id = any(${sessionIds}::bigint[])`.execute(tx);
  for (const table of tables) {
    await sql`
      update ${sql.table(table)} set user_id = user_id where user_id = any(${userIds}::bigint[])`.execute(tx);
  }
}
