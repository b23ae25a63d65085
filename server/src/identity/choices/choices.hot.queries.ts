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
