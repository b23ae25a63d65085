import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';

interface RecoveryCode {
  readonly codeKey: Buffer;
  readonly seal: Buffer;
  /** The day it was confirmed. */
  readonly madeOn: Day;
}

export async function findCode(db: IdentityDb, userId: bigint): Promise<RecoveryCode | null> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select(['codeKey', 'seal', 'madeOn'])
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
  { codeKey, seal, madeOn, replaces }: Replacement,
): Promise<boolean> {
  const changed =
    replaces === null
      ? await db
          .insertInto('identity.recoveryCodes')
          .values({ userId, codeKey, seal, madeOn })
          .onConflict((conflict) => conflict.column('userId').doNothing())
          .returning('userId')
          .executeTakeFirst()
      : await db
          .updateTable('identity.recoveryCodes')
          .set({ codeKey, seal, madeOn })
          .where('userId', '=', userId)
          .where('codeKey', '=', replaces)
          .returning('userId')
          .executeTakeFirst();
  return changed !== undefined;
}

/** Deletes a code and returns its owner: a code recovers an account once. */
export async function consumeRecoveryCode(tx: IdentityDb, codeKey: Buffer) {
  return tx
    .deleteFrom('identity.recoveryCodes')
    .where('codeKey', '=', codeKey)
    .returning(['userId', 'seal'])
    .executeTakeFirst();
}

export async function setDetachedOn(db: IdentityDb, userId: bigint, day: Day | null): Promise<void> {
  await db.updateTable('identity.users').set({ detachedOn: day }).where('id', '=', userId).execute();
}

export async function listDetachedBy(db: IdentityDb, day: Day) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
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
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
    .where('id', '>', after)
    .where('id', '<=', through)
    .where('lastSeenOn', '<=', day)
    .execute();
}
