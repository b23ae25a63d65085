import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';

export interface ModeratorRow {
  readonly id: number;
  readonly alias: string;
  readonly role: ModeratorRole;
}

const columns = ['id', 'alias', 'role'] as const;

export async function insertModerator(
  db: ModerationDb,
  row: { readonly alias: string; readonly role: ModeratorRole },
): Promise<ModeratorRow> {
  const made = await db
    .insertInto('moderation.moderators')
    .values(row)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return made as ModeratorRow;
}

/** Null if there is none, or it is disabled. */
export async function findActive(db: ModerationDb, alias: string): Promise<ModeratorRow | null> {
  const row = await db
    .selectFrom('moderation.moderators')
    .select(columns)
    .where('alias', '=', alias)
    .where('disabledOn', 'is', null)
    .executeTakeFirst();
  return (row as ModeratorRow | undefined) ?? null;
}

export interface RosterLine extends ModeratorRow {
  readonly passkeys: number;
  readonly isDisabled: boolean;
  /** A link that was not used yet. */
  readonly enrolUntil: Date | null;
}

export async function listModerators(db: ModerationDb): Promise<RosterLine[]> {
  const rows = await db
    .selectFrom('moderation.moderators as m')
    .select(['m.id', 'm.alias', 'm.role', 'm.enrolUntil'])
    .select((eb) => [
      eb('m.disabledOn', 'is not', null).as('isDisabled'),
      eb
        .selectFrom('moderation.passkeys as p')
        .whereRef('p.moderatorId', '=', 'm.id')
        .select(sql<number>`count(*)::integer`.as('count'))
        .as('passkeys'),
    ])
    .orderBy('m.alias')
    .execute();
  return rows as RosterLine[];
}

/** Those who can sign in and decide. Auditors cannot. */
export async function countActive(db: ModerationDb): Promise<number> {
  const { count } = await db
    .selectFrom('moderation.moderators as m')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('m.disabledOn', 'is', null)
    .where('m.role', 'in', ['moderator', 'lead'])
    .where((eb) =>
      eb.exists(eb.selectFrom('moderation.passkeys as p').whereRef('p.moderatorId', '=', 'm.id')),
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** An earlier link stops working. */
export async function setEnrolment(
  db: ModerationDb,
  id: number,
  enrolment: { readonly enrolSha256: Buffer; readonly enrolUntil: Date },
): Promise<void> {
  await db.updateTable('moderation.moderators').set(enrolment).where('id', '=', id).execute();
}

export async function findByEnrolment(
  db: ModerationDb,
  enrolSha256: Buffer,
  now: Date,
): Promise<ModeratorRow | null> {
  const row = await db
    .selectFrom('moderation.moderators')
    .select(columns)
    .where('enrolSha256', '=', enrolSha256)
    .where('enrolUntil', '>', now)
    .where('disabledOn', 'is', null)
    .executeTakeFirst();
  return (row as ModeratorRow | undefined) ?? null;
}

/** Of two requests with one link, one gets the row. */
export async function useEnrolment(
  db: ModerationDb,
  enrolSha256: Buffer,
  now: Date,
): Promise<ModeratorRow | null> {
  const row = await db
    .updateTable('moderation.moderators')
    .set({ enrolSha256: null, enrolUntil: null })
    .where('enrolSha256', '=', enrolSha256)
    .where('enrolUntil', '>', now)
    .where('disabledOn', 'is', null)
    .returning(columns)
    .executeTakeFirst();
  return (row as ModeratorRow | undefined) ?? null;
}

export async function disableModerator(db: ModerationDb, id: number, on: Day): Promise<void> {
  await db
    .updateTable('moderation.moderators')
    .set({ disabledOn: on, enrolSha256: null, enrolUntil: null })
    .where('id', '=', id)
    .execute();
}

export interface PasskeyRow {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: bigint;
}

export async function insertPasskey(
  db: ModerationDb,
  passkey: PasskeyRow & { readonly moderatorId: number; readonly addedOn: Day },
): Promise<void> {
  await db.insertInto('moderation.passkeys').values(passkey).execute();
}

/** A passkey with its moderator. Null if it is unknown, or the moderator is disabled. */
export async function findPasskey(
  db: ModerationDb,
  credentialId: Buffer,
): Promise<{ readonly moderator: ModeratorRow; readonly passkey: PasskeyRow } | null> {
  const row = await db
    .selectFrom('moderation.passkeys as p')
    .innerJoin('moderation.moderators as m', 'm.id', 'p.moderatorId')
    .select(['m.id', 'm.alias', 'm.role', 'p.credentialId', 'p.publicKey', 'p.counter'])
    .where('p.credentialId', '=', credentialId)
    .where('m.disabledOn', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { id, alias, role, ...passkey } = row;
  return { moderator: { id, alias, role: role as ModeratorRole }, passkey };
}

export async function listCredentialIds(db: ModerationDb, moderatorId: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('moderation.passkeys')
    .select('credentialId')
    .where('moderatorId', '=', moderatorId)
    .execute();
  return rows.map(({ credentialId }) => credentialId);
}

/** False if another request with the same or a later count was faster: one of the two authenticators is a copy. */
export async function advanceCounter(
  db: ModerationDb,
  credentialId: Buffer,
  counter: bigint,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('moderation.passkeys')
    .set({ counter })
    .where('credentialId', '=', credentialId)
    // Synced passkeys always send 0.
    .where((eb) =>
      eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0n), eb.val(counter === 0n)])]),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deletePasskeys(db: ModerationDb, moderatorId: number): Promise<void> {
  await db.deleteFrom('moderation.passkeys').where('moderatorId', '=', moderatorId).execute();
}
