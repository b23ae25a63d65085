import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';

/** The day an account's code was made; null without one. */
export async function findCodeDay(db: IdentityDb, userId: bigint): Promise<Day | null> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select('madeOn')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.madeOn ?? null;
}

export async function upsertRecoveryCode(
  db: IdentityDb,
  userId: bigint,
  codeSha256: Buffer,
  madeOn: Day,
): Promise<void> {
  await db
    .insertInto('identity.recoveryCodes')
    .values({ userId, codeSha256, madeOn })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ codeSha256, madeOn }))
    .execute();
}

export async function hasRecoveryCode(db: IdentityDb, userId: bigint, codeSha256: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select('userId')
    .where('userId', '=', userId)
    .where('codeSha256', '=', codeSha256)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a code and returns its owner: a code recovers an account once. */
export async function consumeRecoveryCode(tx: IdentityDb, codeSha256: Buffer): Promise<bigint | null> {
  const row = await tx
    .deleteFrom('identity.recoveryCodes')
    .where('codeSha256', '=', codeSha256)
    .returning('userId')
    .executeTakeFirst();
  return row?.userId ?? null;
}

export async function findCreatedOn(db: IdentityDb, userId: bigint): Promise<Day | null> {
  const row = await db
    .selectFrom('identity.users')
    .select('createdOn')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.createdOn ?? null;
}

export async function setDetachedOn(db: IdentityDb, userId: bigint, day: Day | null): Promise<void> {
  await db.updateTable('identity.users').set({ detachedOn: day }).where('id', '=', userId).execute();
}

export async function listDetachedBy(db: IdentityDb, day: Day) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId'])
    .where('detachedOn', '<=', day)
    .execute();
}

export async function listLastSeenBy(
  db: IdentityDb,
  day: Day,
  { after, through }: { readonly after: bigint; readonly through: bigint },
) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId'])
    .where('id', '>', after)
    .where('id', '<=', through)
    .where('lastSeenOn', '<=', day)
    .execute();
}
