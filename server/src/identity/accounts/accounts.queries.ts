import { sql, type SqlBool } from 'kysely';
import type { SealedPersonRow } from '../../kernel/person-keys.ts';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import type { PhoneIndexEntry, StoredEntry } from './phone-index.ts';

export interface PhoneAccount extends StoredEntry {
  readonly facts: Buffer;
}

/** The account of a number, and the index entry it was found by. */
export async function findAccountByPhone(
  db: IdentityDb,
  entries: readonly PhoneIndexEntry[],
): Promise<PhoneAccount | null> {
  const row = await db
    .selectFrom('identity.phoneIndex')
    .innerJoin('identity.users', 'identity.users.id', 'identity.phoneIndex.userId')
    .select(['userId', 'keyId', 'wrappedBy', 'idx', 'identity.phoneIndex.seal', 'facts'])
    .where(matchesEntry(entries))
    .executeTakeFirst();
  return row ?? null;
}

/** A condition on a row with an entry of the index, of an account or of a held number: it is one of these. */
export function matchesEntry(entries: readonly PhoneIndexEntry[]) {
  const each = entries.map(
    ({ keyId, wrappedBy, idx }) =>
      sql`(key_id = ${keyId} and idx = ${idx} and wrapped_by = ${wrappedBy}::smallint[])`,
  );
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

export async function insertPhoneIndex(db: IdentityDb, entry: StoredEntry): Promise<void> {
  const row = { ...entry, wrappedBy: [...entry.wrappedBy] };
  await db.insertInto('identity.phoneIndex').values(row).execute();
}

/** True if the entry was still of that account: another may have taken the number since it was read. */
export async function deletePhoneIndex(
  db: IdentityDb,
  { keyId, idx, userId }: Omit<StoredEntry, 'seal'>,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity.phoneIndex')
    .where('keyId', '=', keyId)
    .where('idx', '=', idx)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const entryColumns = ['keyId', 'wrappedBy', 'idx', 'userId', 'seal'] as const;

/** Returns the deleted entry. */
export const deletePhoneIndexOf = (db: IdentityDb, userId: bigint) =>
  db
    .deleteFrom('identity.phoneIndex')
    .where('userId', '=', userId)
    .returning(entryColumns)
    .executeTakeFirst();

export const findPhoneIndexOf = (db: IdentityDb, userId: bigint) =>
  db.selectFrom('identity.phoneIndex').select(entryColumns).where('userId', '=', userId).executeTakeFirst();

/** Replaces an entry of the same account by one under the newest key, or without wrappings. */
export async function rewritePhoneIndex(
  db: IdentityDb,
  from: PhoneIndexEntry,
  to: StoredEntry,
): Promise<void> {
  await db
    .updateTable('identity.phoneIndex')
    .set({ keyId: to.keyId, wrappedBy: [...to.wrappedBy], idx: to.idx, seal: to.seal })
    .where('keyId', '=', from.keyId)
    .where('idx', '=', from.idx)
    .where('userId', '=', to.userId)
    .execute();
}

export async function deletePhoneIndexesOf(db: IdentityDb, userIds: readonly bigint[]): Promise<void> {
  await sql`delete from identity.phone_index where user_id = any(${userIds}::bigint[])`.execute(db);
}

export async function deleteDevicesOf(db: IdentityDb, userId: bigint): Promise<void> {
  await db.deleteFrom('identity.devices').where('userId', '=', userId).execute();
}

export async function hasDevice(db: IdentityDb, deviceKey: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('identity.devices')
    .select('deviceKey')
    .where('deviceKey', '=', deviceKey)
    .executeTakeFirst();
  return row !== undefined;
}

export async function upsertDevice(
  db: IdentityDb,
  deviceKey: Buffer,
  userId: bigint,
  lookOn: Day,
): Promise<void> {
  await db
    .insertInto('identity.devices')
    .values({ deviceKey, userId, lookOn })
    .onConflict((conflict) => conflict.column('deviceKey').doUpdateSet({ lookOn }))
    .execute();
}

export async function deleteForgottenDevices(db: IdentityDb, today: Day): Promise<void> {
  await db.deleteFrom('identity.devices').where('lookOn', '<=', today).execute();
}

export async function countDevices(db: IdentityDb, userId: bigint): Promise<number> {
  const row = await db
    .selectFrom('identity.devices')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** In id order, so that two callers cannot wait for each other. Before rows of recovery codes, everywhere. */
export async function lockUsers(tx: IdentityDb, userIds: readonly bigint[]): Promise<void> {
  await sql`select id from identity.users where id = any(${userIds}::bigint[]) order by id for update`.execute(
    tx,
  );
}

export async function findPersonRow(db: IdentityDb, userId: bigint): Promise<SealedPersonRow | undefined> {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
    .where('id', '=', userId)
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
