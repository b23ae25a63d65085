import { sql, type SqlBool } from 'kysely';
import type { SealedPersonRow } from '../../kernel/person-keys.ts';
import type { IdentityDb } from '../../platform/db.ts';

/** In id order, so that two callers cannot wait for each other. Before rows of recovery codes, everywhere. */
export async function lockUsers(tx: IdentityDb, userIds: readonly bigint[]): Promise<void> {
  await sql`select id from identity.users where id = any(${userIds}::bigint[]) order by id for update`.execute(
    tx,
  );
}

export async function findPersonRow(db: IdentityDb, userId: bigint): Promise<SealedPersonRow | undefined> {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
    .where('id', '=', userId)
    .executeTakeFirst();
}

/** Accounts without a number. */
export async function listDetached(db: IdentityDb) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal', 'facts'])
    .where(sql<SqlBool>`is_detached`)
    .execute();
}
