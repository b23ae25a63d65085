import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';

export interface Agreement {
  readonly version: number;
  readonly agreedOn: Day;
}

export async function insertAgreement(
  db: IdentityDb,
  userId: bigint,
  { version, agreedOn }: Agreement,
): Promise<void> {
  await db
    .insertInto('identity.agreements')
    .values({ userId, version, agreedOn })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function listAgreements(db: IdentityDb, userId: bigint): Promise<Agreement[]> {
  return db
    .selectFrom('identity.agreements')
    .select(['version', 'agreedOn'])
    .where('userId', '=', userId)
    .orderBy('version')
    .execute();
}
