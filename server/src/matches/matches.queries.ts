import type { Day } from '../platform/clock.ts';
import type { MatchingDb } from '../platform/db.ts';

export async function insertBlankProfile(db: MatchingDb, matchKey: Buffer, today: Day): Promise<void> {
  await db
    .insertInto('matching.matchProfiles')
    .values({ matchKey, lastActiveOn: today })
    .onConflict((conflict) => conflict.column('matchKey').doNothing())
    .execute();
}

/** In the order of their keys, which is nobody's order of arrival. */
export async function insertBlankProfiles(
  db: MatchingDb,
  matchKeys: readonly Buffer[],
  today: Day,
): Promise<void> {
  const rows = matchKeys
    .toSorted((a, b) => a.compare(b))
    .map((matchKey) => ({ matchKey, lastActiveOn: today }));
  await db
    .insertInto('matching.matchProfiles')
    .values(rows)
    .onConflict((conflict) => conflict.column('matchKey').doNothing())
    .execute();
}

export async function findProfile(db: MatchingDb, matchKey: Buffer) {
  return db
    .selectFrom('matching.matchProfiles')
    .select('lastActiveOn')
    .where('matchKey', '=', matchKey)
    .executeTakeFirst();
}

export async function deleteProfile(db: MatchingDb, matchKey: Buffer): Promise<void> {
  await db.deleteFrom('matching.matchProfiles').where('matchKey', '=', matchKey).execute();
}
