import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import type { IdentityDb } from '../../platform/db.ts';
import { openRecovery, recoveryColumns, type Recovery } from './recovery-facts.ts';

const columns = ['userId', 'codeKey', 'replacedKey', 'seal', 'facts'] as const;

const select = (db: IdentityDb, userId: bigint) =>
  db.selectFrom('identity.recoveryCodes').select(columns).where('userId', '=', userId);

/** Null without a row that this service wrote. */
export async function findRecovery(db: IdentityDb, seals: RowSeals, userId: bigint) {
  const row = await select(db, userId).executeTakeFirst();
  return row ? openRecovery(seals, row) : null;
}

/** Inside a transaction: the row stays locked. */
export async function lockRecovery(tx: IdentityDb, seals: RowSeals, userId: bigint) {
  const row = await select(tx, userId).forUpdate().executeTakeFirst();
  return row ? openRecovery(seals, row) : null;
}

/** The account with this code, whether it still works or not. Nothing is locked or checked yet. */
export async function findOwnerOfCode(db: IdentityDb, key: Buffer): Promise<bigint | null> {
  const row = await db
    .selectFrom('identity.recoveryCodes')
    .select('userId')
    .where((where) => where.or([where('codeKey', '=', key), where('replacedKey', '=', key)]))
    .executeTakeFirst();
  return row?.userId ?? null;
}

export async function writeRecovery(
  tx: IdentityDb,
  seals: RowSeals,
  userId: bigint,
  recovery: Recovery,
): Promise<void> {
  const row = recoveryColumns(seals, userId, recovery);
  await tx
    .insertInto('identity.recoveryCodes')
    .values({ userId, ...row })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(row))
    .execute();
}
