import { sql } from 'kysely';
import type { IdentityDb } from '../../platform/db.ts';

interface SessionRow {
  readonly tokenKey: Buffer;
  readonly id: bigint;
  readonly facts: Buffer;
}

interface NewSession extends SessionRow {
  readonly userId: bigint;
  readonly seal: Buffer;
}

export async function insertSession(db: IdentityDb, session: NewSession): Promise<void> {
  await db.insertInto('identity.sessions').values(session).execute();
}

/** A session, with the owner's columns that the person's content keys are derived from. */
export async function findSession(db: IdentityDb, tokenKey: Buffer) {
  return db
    .selectFrom('identity.sessions as session')
    .innerJoin('identity.users as user', 'user.id', 'session.userId')
    .select([
      'session.id',
      'session.userId',
      'session.facts',
      'session.seal',
      'user.seal as userSeal',
      'user.authorSeed',
      'user.speakerId',
      'user.facts as userFacts',
    ])
    .where('session.tokenKey', '=', tokenKey)
    .executeTakeFirst();
}

export async function listSessions(db: IdentityDb, tokenKeys: readonly Buffer[]): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select token_key, id, facts from identity.sessions where token_key = any(${tokenKeys}::bytea[])`.execute(
    db,
  );
  return rows;
}

/** One batch of all sessions, in id order. */
export async function listSessionsAfter(db: IdentityDb, after: bigint, limit: number): Promise<SessionRow[]> {
  return db
    .selectFrom('identity.sessions')
    .select(['tokenKey', 'id', 'facts'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function listSessionsOf(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.sessions')
    .select(['tokenKey', 'id', 'seal', 'facts'])
    .where('userId', '=', userId)
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

export async function deleteSessions(db: IdentityDb, ids: readonly bigint[]): Promise<Buffer[]> {
  const { rows } = await sql<{ tokenKey: Buffer }>`
    delete from identity.sessions where id = any(${ids}::bigint[]) returning token_key`.execute(db);
  return rows.map((row) => row.tokenKey);
}
