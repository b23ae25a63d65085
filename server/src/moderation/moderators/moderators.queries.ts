import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { AuditAction } from '../audit.ts';

export interface ModeratorRow {
  readonly id: number;
  readonly alias: string;
  readonly role: ModeratorRole;
  readonly disabledOn: Day | null;
  readonly enrolKey: Buffer | null;
  readonly enrolUntil: Date | null;
  readonly seal: Buffer | null;
}

export const moderatorFields = [
  'id',
  'alias',
  'role',
  'disabledOn',
  'enrolKey',
  'enrolUntil',
  'seal',
] as const;

export async function insertModerator(
  db: ModerationDb,
  row: { readonly alias: string; readonly role: ModeratorRole },
): Promise<ModeratorRow> {
  const made = await db
    .insertInto('moderation.moderators')
    .values(row)
    .returning(moderatorFields)
    .executeTakeFirstOrThrow();
  return made as ModeratorRow;
}

/** Null if there is none, or it is disabled. */
export async function findActive(db: ModerationDb, alias: string): Promise<ModeratorRow | null> {
  const row = await db
    .selectFrom('moderation.moderators')
    .select(moderatorFields)
    .where('alias', '=', alias)
    .where('disabledOn', 'is', null)
    .executeTakeFirst();
  return (row as ModeratorRow | undefined) ?? null;
}

/** All of them, with whether the command recorded it and whether the check found it before. */
export async function listForRosterCheck(db: ModerationDb) {
  const recorded = (action: AuditAction) =>
    sql<boolean>`exists (select from moderation.audit where action = ${action} and detail ->> 'alias' = alias)`;
  const rows = await db
    .selectFrom('moderation.moderators')
    .select(moderatorFields)
    .select([recorded('moderator_added').as('isAdded'), recorded('moderator_forged').as('isFound')])
    .execute();
  return rows as (ModeratorRow & { readonly isAdded: boolean; readonly isFound: boolean })[];
}

/** `enrolUntil`: of a link that was not used yet. */
export interface RosterLine extends Pick<ModeratorRow, 'id' | 'alias' | 'role' | 'enrolUntil'> {
  readonly passkeys: number;
  readonly isDisabled: boolean;
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

/** A new link, after which an earlier one does not work, or none; and whether they are disabled. */
export async function updateModerator(
  db: ModerationDb,
  { id, disabledOn, enrolKey, enrolUntil, seal }: ModeratorRow,
): Promise<void> {
  await db
    .updateTable('moderation.moderators')
    .set({ disabledOn, enrolKey, enrolUntil, seal })
    .where('id', '=', id)
    .execute();
}

/** `isLocked`: of two requests with one link, one gets the row. */
export async function findByEnrolment(
  db: ModerationDb,
  enrolKey: Buffer,
  now: Date,
  { isLocked } = { isLocked: false },
): Promise<ModeratorRow | null> {
  const row = await db
    .selectFrom('moderation.moderators')
    .select(moderatorFields)
    .where('enrolKey', '=', enrolKey)
    .where('enrolUntil', '>', now)
    .where('disabledOn', 'is', null)
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst();
  return (row as ModeratorRow | undefined) ?? null;
}

export interface PasskeyRow {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: bigint;
}

export async function insertPasskey(
  db: ModerationDb,
  passkey: PasskeyRow & { readonly moderatorId: number; readonly addedOn: Day; readonly seal: Buffer },
): Promise<void> {
  await db.insertInto('moderation.passkeys').values(passkey).execute();
}

/** A passkey with its moderator. Null if it is unknown, or the moderator is disabled. */
export async function findPasskey(db: ModerationDb, credentialId: Buffer) {
  const row = await db
    .selectFrom('moderation.passkeys as p')
    .innerJoin('moderation.moderators as m', 'm.id', 'p.moderatorId')
    .select(moderatorFields.map((column) => `m.${column}` as const))
    .select(['p.credentialId', 'p.publicKey', 'p.counter', 'p.seal as passkeySeal'])
    .where('p.credentialId', '=', credentialId)
    .where('m.disabledOn', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { credentialId: found, publicKey, counter, passkeySeal, ...moderator } = row;
  return {
    moderator: moderator as ModeratorRow,
    passkey: { credentialId: found, publicKey, counter, passkeySeal },
  };
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
export async function advanceCounter(db: ModerationDb, credentialId: Buffer, counter: bigint) {
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

/** How many texts of severity 3 and 4 a moderator may still reveal, counted in the audit log since `since`. */
export async function readSevereLeft(
  db: ModerationDb,
  { moderatorId, alias }: { readonly moderatorId: number; readonly alias: string },
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select greatest(0, m.severe_per_day - (
             select count(*) from moderation.audit
              where actor = ${alias} and at >= ${since} and action = 'revealed'
                and (detail ->> 'severity')::integer >= 3))::integer as left
      from moderation.moderators as m
     where m.id = ${moderatorId}`.execute(db);
  return rows[0]?.left ?? 0;
}
