import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';

interface NewSession {
  readonly tokenKey: Buffer;
  readonly seal: Buffer;
  readonly userId: bigint;
  readonly label: string;
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
  readonly endsOn: Day;
}

export async function insertSession(db: IdentityDb, session: NewSession): Promise<bigint> {
  const row = await db
    .insertInto('identity.sessions')
    .values(session)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** A session, with the owner's columns that the person's content keys are derived from. */
export async function findSession(db: IdentityDb, tokenKey: Buffer) {
  return db
    .selectFrom('identity.sessions as session')
    .innerJoin('identity.users as user', 'user.id', 'session.userId')
    .select([
      'session.id',
      'session.userId',
      'session.lastSeenOn',
      'session.endsOn',
      'session.seal',
      'user.seal as userSeal',
      'user.authorSeed',
      'user.speakerId',
      'user.createdOn as userCreatedOn',
    ])
    .where('session.tokenKey', '=', tokenKey)
    .executeTakeFirst();
}

/** Those of these sessions that have not reached their end. Whether one is idle too long is decided when it is used. */
export async function listOpenSessions(
  db: IdentityDb,
  tokenKeys: readonly Buffer[],
  today: Day,
): Promise<Buffer[]> {
  const { rows } = await sql<{ tokenKey: Buffer }>`
    select token_key from identity.sessions
     where token_key = any(${tokenKeys}::bytea[]) and ends_on > ${today}::date`.execute(db);
  return rows.map((row) => row.tokenKey);
}

export async function listSessionsOf(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.sessions')
    .select(['id', 'label', 'createdOn', 'lastSeenOn', 'endsOn'])
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .execute();
}

/** Ownership is part of the statement, so there is no separate check that could race. */
export async function deleteSession(db: IdentityDb, userId: bigint, sessionId: bigint): Promise<Buffer[]> {
  const rows = await db
    .deleteFrom('identity.sessions')
    .where('userId', '=', userId)
    .where('id', '=', sessionId)
    .returning('tokenKey')
    .execute();
  return rows.map((row) => row.tokenKey);
}

/** The row lock makes the transaction a write, so its commit waits for synchronous replication even if nothing is deleted. */
export async function lockSession(db: IdentityDb, sessionId: bigint): Promise<void> {
  await db.selectFrom('identity.sessions').select('id').where('id', '=', sessionId).forKeyShare().execute();
}

export async function deleteSessionsExcept(
  db: IdentityDb,
  userId: bigint,
  keptId: bigint,
): Promise<Buffer[]> {
  const rows = await db
    .deleteFrom('identity.sessions')
    .where('userId', '=', userId)
    .where('id', '!=', keptId)
    .returning('tokenKey')
    .execute();
  return rows.map((row) => row.tokenKey);
}

export async function deleteAllSessions(db: IdentityDb, userId: bigint): Promise<Buffer[]> {
  const rows = await db
    .deleteFrom('identity.sessions')
    .where('userId', '=', userId)
    .returning('tokenKey')
    .execute();
  return rows.map((row) => row.tokenKey);
}

/** Deletes all but the newest `keep` sessions of an account. */
export async function evictOldSessions(db: IdentityDb, userId: bigint, keep: number): Promise<Buffer[]> {
  const rows = await db
    .deleteFrom('identity.sessions')
    .where('userId', '=', userId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('identity.sessions')
        .select('id')
        .where('userId', '=', userId)
        .orderBy('id', 'desc')
        .offset(keep),
    )
    .returning('tokenKey')
    .execute();
  return rows.map((row) => row.tokenKey);
}

/** Deletes expired sessions. */
export async function deleteEndedSessions(db: IdentityDb, today: Day, idleSince: Day): Promise<void> {
  await db
    .deleteFrom('identity.sessions')
    .where((eb) => eb.or([eb('endsOn', '<=', today), eb('lastSeenOn', '<=', idleSince)]))
    .execute();
}
