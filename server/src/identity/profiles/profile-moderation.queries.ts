import type { IdentityDb } from '../../platform/db.ts';

/** The words of a profile that its matches read. */
export async function findWords(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.users')
    .select(['username', 'bio', 'interests', 'likes', 'dislikes', 'speakerId'])
    .where('id', '=', userId)
    .executeTakeFirst();
}

export async function findPersonRow(db: IdentityDb, speakerId: Buffer) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
    .where('speakerId', '=', speakerId)
    .executeTakeFirst();
}
