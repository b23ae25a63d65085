import type { IdentityDb } from '../../platform/db.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';

/** Of several people, in one statement. Most have none. */
export async function findSealed(
  db: IdentityDb,
  userIds: readonly bigint[],
): Promise<{ readonly userId: bigint; readonly sealed: Buffer }[]> {
  return preparedSql<{ userId: bigint; sealed: Buffer }>`
    select user_id, sealed from identity.choices where user_id = any(${userIds}::bigint[])`.rows(db);
}

/** Locks the account: changes of one person's choices wait for each other, and for a deletion. False if it is gone. */
export async function lockOwner(tx: IdentityDb, userId: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('identity.users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveSealed(tx: IdentityDb, userId: bigint, sealed: Buffer): Promise<void> {
  await tx
    .insertInto('identity.choices')
    .values({ userId, sealed })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ sealed }))
    .execute();
}

export async function deleteChoices(tx: IdentityDb, userId: bigint): Promise<void> {
  await tx.deleteFrom('identity.choices').where('userId', '=', userId).execute();
}
