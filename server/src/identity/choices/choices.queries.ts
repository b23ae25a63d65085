import type { IdentityDb } from '../../platform/db.ts';

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
