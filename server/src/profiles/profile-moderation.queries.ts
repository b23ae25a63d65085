import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';

/** The words of a profile that its matches read. */
export async function findWords(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.users')
    .select(['username', 'bio', 'interests', 'likes', 'dislikes', 'speakerId'])
    .where('id', '=', userId)
    .executeTakeFirst();
}

export async function findCreatedOn(db: IdentityDb, userId: bigint): Promise<Day | undefined> {
  const row = await db
    .selectFrom('identity.users')
    .select('createdOn')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.createdOn;
}

export async function findPersonRow(db: IdentityDb, speakerId: Buffer) {
  return db
    .selectFrom('identity.users')
    .select(['authorSeed', 'speakerId'])
    .where('speakerId', '=', speakerId)
    .executeTakeFirst();
}
