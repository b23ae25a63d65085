import { sql, type SqlBool } from 'kysely';
import type { IdentityDb } from '../../platform/db.ts';

interface RecoveryCode {
  readonly codeKey: Buffer;
  readonly seal: Buffer;
  /** The day it was confirmed, encrypted. */
  readonly facts: Buffer;
}

export async function findCode(db: IdentityDb, userId: bigint): Promise<RecoveryCode | null> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select(['codeKey', 'seal', 'facts'])
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
  { codeKey, seal, facts, replaces }: Replacement,
): Promise<boolean> {
  const changed =
    replaces === null
      ? await db
          .insertInto('identity.recoveryCodes')
          .values({ userId, codeKey, seal, facts })
          .onConflict((conflict) => conflict.column('userId').doNothing())
          .returning('userId')
          .executeTakeFirst()
      : await db
          .updateTable('identity.recoveryCodes')
          .set({ codeKey, seal, facts })
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

/** Accounts without a number. */
export async function listDetached(db: IdentityDb) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal', 'facts'])
    .where(sql<SqlBool>`is_detached`)
    .execute();
}
