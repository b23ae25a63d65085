import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import { lockingOutWriters, type BatchedTable, type RewrittenTable } from '../../platform/rewrite-rows.ts';

/** Those whose rows a visit or a change of one person moves. Each is rewritten every night, in the order of its key. */
export const nightlyTables: readonly BatchedTable[] = [
  lockingOutWriters('identity.users', 'id'),
  lockingOutWriters('identity.sessions', 'token_key'),
  lockingOutWriters('identity.devices', 'device_key'),
  lockingOutWriters('identity.phone_index', 'idx'),
  lockingOutWriters('identity.recovery_codes', 'user_id'),
  lockingOutWriters('identity.choices', 'user_id'),
];

/** Stops counting at `max`. */
export async function countRows(db: IdentityDb, { name }: RewrittenTable, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from ${sql.table(name)} limit ${max}) as seen`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Writes a table to a new file, in the order of its key: what was deleted leaves the file. Locks it for 5 s a million rows. */
export async function layOut(db: IdentityDb, { name }: RewrittenTable): Promise<void> {
  await sql`select identity.lay_out(${name.replace('identity.', '')})`.execute(db);
}

interface FactsRow {
  readonly id: bigint;
  readonly facts: Buffer;
}

/** One batch of all users, in id order. */
export async function listUserIds(db: IdentityDb, after: bigint, limit: number): Promise<bigint[]> {
  const rows = await db
    .selectFrom('identity.users')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function lockFactsOf(tx: IdentityDb, ids: readonly bigint[]): Promise<FactsRow[]> {
  return tx
    .selectFrom('identity.users')
    .select(['id', 'facts'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function lockSessionsOf(tx: IdentityDb, userIds: readonly bigint[]): Promise<FactsRow[]> {
  const { rows } = await sql<FactsRow>`
    select id, facts from identity.sessions where user_id = any(${userIds}::bigint[]) order by id for update`.execute(
    tx,
  );
  return rows;
}

export async function rewriteUsers(
  tx: IdentityDb,
  users: readonly (FactsRow & { readonly lookOn: Day | null })[],
): Promise<void> {
  await sql`
    update identity.users as person set facts = visit.facts, look_on = coalesce(visit.look_on, person.look_on)
      from unnest(${users.map(({ id }) => id)}::bigint[], ${users.map(({ facts }) => facts)}::bytea[],
                  ${users.map(({ lookOn }) => lookOn)}::date[]) as visit (id, facts, look_on)
     where person.id = visit.id`.execute(tx);
}

export async function rewriteSessions(tx: IdentityDb, sessions: readonly FactsRow[]): Promise<void> {
  await sql`
    update identity.sessions as session set facts = visit.facts
      from unnest(${sessions.map(({ id }) => id)}::bigint[], ${sessions.map(({ facts }) => facts)}::bytea[])
             as visit (id, facts)
     where session.id = visit.id`.execute(tx);
}

/** Tables with rows of users, apart from sessions. */
export async function listTablesOfUsers(db: IdentityDb): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'identity' and c.relkind = 'r' and a.attname = 'user_id' and not a.attisdropped
       and c.relname <> 'sessions'
     order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Rewrites the rows of these users as they are. */
export async function rewriteAsTheyAre(
  tx: IdentityDb,
  tables: readonly string[],
  userIds: readonly bigint[],
): Promise<void> {
  for (const table of tables) {
    await sql`
      update ${sql.table(table)} set user_id = user_id where user_id = any(${userIds}::bigint[])`.execute(tx);
  }
}
