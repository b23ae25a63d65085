import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import type { ModerationDb } from '../../platform/db.ts';

export interface SessionRow {
  readonly moderatorId: number;
  readonly alias: string;
  readonly role: ModeratorRole;
  readonly provenAt: Date;
  readonly seenAt: Date;
}

export async function insertSession(
  db: ModerationDb,
  session: {
    readonly tokenSha256: Buffer;
    readonly moderatorId: number;
    readonly provenAt: Date;
    readonly seenAt: Date;
    readonly endsAt: Date;
  },
): Promise<void> {
  await db.insertInto('moderation.sessions').values(session).execute();
}

/** Null if it ended, was idle since `idleSince`, or its moderator is disabled. */
export async function findSession(
  db: ModerationDb,
  tokenSha256: Buffer,
  { now, idleSince }: { readonly now: Date; readonly idleSince: Date },
): Promise<SessionRow | null> {
  const row = await db
    .selectFrom('moderation.sessions as s')
    .innerJoin('moderation.moderators as m', 'm.id', 's.moderatorId')
    .select(['s.moderatorId', 'm.alias', 'm.role', 's.provenAt', 's.seenAt'])
    .where('s.tokenSha256', '=', tokenSha256)
    .where('s.endsAt', '>', now)
    .where('s.seenAt', '>', idleSince)
    .where('m.disabledOn', 'is', null)
    .executeTakeFirst();
  return (row as SessionRow | undefined) ?? null;
}

export async function touchSession(db: ModerationDb, tokenSha256: Buffer, seenAt: Date): Promise<void> {
  await db
    .updateTable('moderation.sessions')
    .set({ seenAt })
    .where('tokenSha256', '=', tokenSha256)
    .execute();
}

export async function setProven(db: ModerationDb, tokenSha256: Buffer, provenAt: Date): Promise<void> {
  await db
    .updateTable('moderation.sessions')
    .set({ provenAt })
    .where('tokenSha256', '=', tokenSha256)
    .execute();
}

export async function deleteSession(db: ModerationDb, tokenSha256: Buffer): Promise<void> {
  await db.deleteFrom('moderation.sessions').where('tokenSha256', '=', tokenSha256).execute();
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
