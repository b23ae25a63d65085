import type { Insertable } from 'kysely';
import type { ModerationTables } from '../../db/schema.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { moderatorFields, type ModeratorRow } from './moderators.queries.ts';

export async function insertSession(
  db: ModerationDb,
  session: Insertable<ModerationTables['moderation.sessions']>,
): Promise<void> {
  await db.insertInto('moderation.sessions').values(session).execute();
}

/** Null if it ended, was idle since `idleSince`, or its moderator is disabled. */
export async function findSession(
  db: ModerationDb,
  tokenKey: Buffer,
  { now, idleSince }: { readonly now: Date; readonly idleSince: Date },
) {
  const row = await db
    .selectFrom('moderation.sessions as s')
    .innerJoin('moderation.moderators as m', 'm.id', 's.moderatorId')
    .select(moderatorFields.map((column) => `m.${column}` as const))
    .select(['s.provenAt', 's.seenAt', 's.endsAt', 's.seal as sessionSeal'])
    .where('s.tokenKey', '=', tokenKey)
    .where('s.endsAt', '>', now)
    .where('s.seenAt', '>', idleSince)
    .where('m.disabledOn', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { provenAt, seenAt, endsAt, sessionSeal, ...moderator } = row;
  return { moderator: moderator as ModeratorRow, provenAt, seenAt, endsAt, seal: sessionSeal };
}

export async function touchSession(db: ModerationDb, tokenKey: Buffer, seenAt: Date): Promise<void> {
  await db.updateTable('moderation.sessions').set({ seenAt }).where('tokenKey', '=', tokenKey).execute();
}

export async function setProven(
  db: ModerationDb,
  tokenKey: Buffer,
  proof: { readonly provenAt: Date; readonly seal: Buffer },
): Promise<void> {
  await db.updateTable('moderation.sessions').set(proof).where('tokenKey', '=', tokenKey).execute();
}

export async function deleteSession(db: ModerationDb, tokenKey: Buffer): Promise<void> {
  await db.deleteFrom('moderation.sessions').where('tokenKey', '=', tokenKey).execute();
}

export async function deleteSessionsOf(db: ModerationDb, moderatorId: number): Promise<void> {
  await db.deleteFrom('moderation.sessions').where('moderatorId', '=', moderatorId).execute();
}

export async function deleteEnded(db: ModerationDb, now: Date, idleSince: Date): Promise<void> {
  await db
    .deleteFrom('moderation.sessions')
    .where((eb) => eb.or([eb('endsAt', '<=', now), eb('seenAt', '<=', idleSince)]))
    .execute();
}
