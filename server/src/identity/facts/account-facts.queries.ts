import { AppError } from '../../platform/errors.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import type { IdentityDb } from '../../platform/db.ts';
import { factColumns, openFacts, type AccountFacts } from './account-facts.ts';

const select = (db: IdentityDb, userId: bigint) =>
  db.selectFrom('identity.users').select(['id', 'facts']).where('id', '=', userId);

export async function findFacts(db: IdentityDb, seals: RowSeals, userId: bigint) {
  const row = await select(db, userId).executeTakeFirst();
  return row ? openFacts(seals, row) : null;
}

/** Race: the account was deleted after the session check. */
export async function requireFacts(db: IdentityDb, seals: RowSeals, userId: bigint): Promise<AccountFacts> {
  const facts = await findFacts(db, seals, userId);
  if (!facts) throw new AppError('UNAUTHENTICATED');
  return facts;
}

/** Inside a transaction: the row is locked between reading and writing. */
export async function changeFacts(
  tx: IdentityDb,
  seals: RowSeals,
  userId: bigint,
  change: Partial<AccountFacts>,
): Promise<void> {
  const row = await select(tx, userId).forUpdate().executeTakeFirst();
  const facts = row && openFacts(seals, row);
  if (!facts) return;
  await tx
    .updateTable('identity.users')
    .set(factColumns(seals, userId, { ...facts, ...change }))
    .where('id', '=', userId)
    .execute();
}
