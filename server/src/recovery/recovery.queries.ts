import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';

interface RecoveryCode {
  readonly codeSha256: Buffer;
  /** The day it was confirmed. */
  readonly madeOn: Day;
}

export async function findCode(db: IdentityDb, userId: bigint): Promise<RecoveryCode | null> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select(['codeSha256', 'madeOn'])
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}

interface Replacement extends RecoveryCode {
  /** Null for the first code of an account. */
  readonly replaces: Buffer | null;
}

/** Compare and set: false, and no change, if another code than `replaces` is stored. */
export async function replaceCode(
  db: IdentityDb,
  userId: bigint,
  { codeSha256, madeOn, replaces }: Replacement,
): Promise<boolean> {
  const changed =
    replaces === null
      ? await db
          .insertInto('identity.recoveryCodes')
          .values({ userId, codeSha256, madeOn })
          .onConflict((conflict) => conflict.column('userId').doNothing())
          .returning('userId')
          .executeTakeFirst()
      : await db
          .updateTable('identity.recoveryCodes')
          .set({ codeSha256, madeOn })
          .where('userId', '=', userId)
          .where('codeSha256', '=', replaces)
          .returning('userId')
          .executeTakeFirst();
  return changed !== undefined;
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
