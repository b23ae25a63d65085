import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

export async function findUserIdByPhone(db: IdentityDb, entries: readonly PhoneIndexEntry[]) {
  const row = await db
    .selectFrom('identity.phoneIndex')
    .select('userId')
    .where((eb) =>
      eb.or(entries.map(({ keyId, idx }) => eb.and([eb('keyId', '=', keyId), eb('idx', '=', idx)]))),
    )
    .executeTakeFirst();
  return row?.userId ?? null;
}

export async function insertPhoneIndex(
  db: IdentityDb,
  entry: PhoneIndexEntry,
  userId: bigint,
): Promise<void> {
  await db
    .insertInto('identity.phoneIndex')
    .values({ ...entry, userId })
    .execute();
}

export async function upsertDevice(
  db: IdentityDb,
  deviceKey: Buffer,
  userId: bigint,
  today: Day,
): Promise<void> {
  await db
    .insertInto('identity.devices')
    .values({ deviceKey, userId, seenOn: today })
    .onConflict((conflict) => conflict.column('deviceKey').doUpdateSet({ seenOn: today }))
    .execute();
}

export async function deleteForgottenDevices(db: IdentityDb, notSeenSince: Day): Promise<void> {
  await db.deleteFrom('identity.devices').where('seenOn', '<', notSeenSince).execute();
}

export async function countDevices(db: IdentityDb, userId: bigint): Promise<number> {
  const row = await db
    .selectFrom('identity.devices')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
