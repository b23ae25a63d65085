import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import type { PhoneIndexEntry, StoredEntry } from './phone-index.ts';

interface PhoneAccount extends StoredEntry {
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

/** The tables with entries of the index: of accounts, and of numbers that are held. */
export const entryTables = ['identity.phoneIndex', 'identity.heldNumbers'] as const;
export type EntryTable = (typeof entryTables)[number];

/** A condition on a row of either: it is one of the entries. */
export function matchesEntry(entries: readonly PhoneIndexEntry[]) {
  const each = entries.map(
    ({ keyId, wrappedBy, idx }) =>
      sql`(key_id = ${keyId} and idx = ${idx} and wrapped_by = ${wrappedBy}::smallint[])`,
  );
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

export async function insertPhoneIndex(
  db: IdentityDb,
  { keyId, wrappedBy, idx, userId, seal }: StoredEntry,
): Promise<void> {
  await addPhoneKey(db, keyId);
  await db
    .insertInto('identity.phoneIndex')
    .values({ keyId, wrappedBy: [...wrappedBy], idx, userId, seal })
    .execute();
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

/** Returns the deleted entry. */
export async function deletePhoneIndexOf(db: IdentityDb, userId: bigint): Promise<StoredEntry | null> {
  const row = await db
    .deleteFrom('identity.phoneIndex')
    .where('userId', '=', userId)
    .returning(['keyId', 'wrappedBy', 'idx', 'userId', 'seal'])
    .executeTakeFirst();
  return row ?? null;
}

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

/** Adds one wrapping to a batch of entries. Held numbers have no account and no seal. */
export async function wrapPhoneIndexes(
  tx: IdentityDb,
  table: EntryTable,
  wrappingId: number,
  changes: readonly {
    readonly from: PhoneIndexEntry;
    readonly to: PhoneIndexEntry;
    readonly seal: Buffer | null;
  }[],
): Promise<void> {
  const sealed = table === 'identity.phoneIndex' ? sql`, seal = change.seal` : sql``;
  await sql`
    update ${sql.table(table)} as held
       set wrapped_by = held.wrapped_by || ${wrappingId}::smallint, idx = change.becomes ${sealed}
      from unnest(${changes.map(({ from }) => from.keyId)}::smallint[], ${changes.map(({ from }) => from.idx)}::bytea[],
                  ${changes.map(({ to }) => to.idx)}::bytea[], ${changes.map(({ seal }) => seal)}::bytea[])
             as change (key_id, idx, becomes, seal)
     where held.key_id = change.key_id and held.idx = change.idx`.execute(tx);
}

export async function addPhoneKey(db: IdentityDb, id: number): Promise<void> {
  await db
    .insertInto('identity.phoneKeys')
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function listPhoneKeys(db: IdentityDb): Promise<number[]> {
  const rows = await db.selectFrom('identity.phoneKeys').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Entries that are neither indexed under a key nor wrapped with it, locked for update. */
export async function lockPhoneIndexesWithout(
  tx: IdentityDb,
  table: EntryTable,
  keyId: number,
  limit: number,
): Promise<(StoredEntry | (PhoneIndexEntry & { readonly userId: null; readonly seal: null }))[]> {
  const account =
    table === 'identity.phoneIndex' ? sql`user_id, seal` : sql`null::bigint as user_id, null::bytea as seal`;
  const { rows } = await sql<StoredEntry>`
    select key_id, wrapped_by, idx, ${account} from ${sql.table(table)}
     where key_id <> ${keyId} and ${keyId} <> all (wrapped_by) limit ${limit} for update`.execute(tx);
  return rows;
}

export async function countPhoneIndexes(db: IdentityDb) {
  return db
    .selectFrom(
      db
        .selectFrom('identity.phoneIndex')
        .select(['keyId', 'wrappedBy'])
        .unionAll(db.selectFrom('identity.heldNumbers').select(['keyId', 'wrappedBy']))
        .as('entry'),
    )
    .select(['keyId', 'wrappedBy', sql<bigint>`count(*)`.as('count')])
    .groupBy(['keyId', 'wrappedBy'])
    .orderBy('keyId')
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
