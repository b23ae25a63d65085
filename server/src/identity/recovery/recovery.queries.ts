import { sql, type SqlBool } from 'kysely';
import type { IdentityDb } from '../../platform/db.ts';

export async function lockUser(tx: IdentityDb, userId: bigint): Promise<void> {
  await tx.selectFrom('identity.users').select('id').where('id', '=', userId).forUpdate().execute();
}

/** Accounts without a number. */
export async function listDetached(db: IdentityDb) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal', 'facts'])
    .where(sql<SqlBool>`is_detached`)
    .execute();
}
