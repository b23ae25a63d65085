import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { IdentityDb } from '../platform/db.ts';
import { preparedSql } from '../platform/prepared-sql.ts';

const columns = [
  'id',
  'username',
  'bio',
  'interests',
  'likes',
  'dislikes',
  'feelings',
  'feelingsFrom',
  'matchPreference',
  'anonymousChat',
  'profileCompleted',
  'avatarSeed',
  'authorSeed',
  'speakerId',
  'allowComments',
  'createdOn',
  'lastSeenOn',
] as const;

export async function findUser(db: IdentityDb, userId: bigint) {
  return db.selectFrom('identity.users').select(columns).where('id', '=', userId).executeTakeFirst();
}

interface NewUser {
  readonly avatarSeed: string;
  readonly authorSeed: Buffer;
  readonly speakerId: Buffer;
  readonly today: Day;
}

export async function insertUser(db: IdentityDb, { today, ...random }: NewUser): Promise<bigint> {
  const row = await db
    .insertInto('identity.users')
    .values({ ...random, createdOn: today, lastSeenOn: today })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function touchUser(db: IdentityDb, userId: bigint, today: Day): Promise<void> {
  await db
    .updateTable('identity.users')
    .set({ lastSeenOn: today })
    .where('id', '=', userId)
    .where('lastSeenOn', '<', today)
    .execute();
}

export interface NameRow {
  readonly username: string | null;
  readonly avatarSeed: string;
}

export async function findNames(db: IdentityDb, userIds: readonly bigint[]) {
  if (userIds.length === 0) return [];
  return preparedSql<NameRow & { id: bigint }>`
    select id, username, avatar_seed from identity.users where id = any(${userIds})`.rows(db);
}

/** Lists as one JSON text, as in `MatchFactsRow`. */
export async function findIntroductions(db: IdentityDb, userIds: readonly bigint[]) {
  if (userIds.length === 0) return [];
  return preparedSql<NameRow & { id: bigint; bio: string; listsJson: string }>`
    select id, username, avatar_seed, bio, json_build_array(interests, likes)::text as lists_json
      from identity.users where id = any(${userIds})`.rows(db);
}

/** Names and avatars for named comments, including those of departed people whose comments are not removed yet. */
export async function findNamesOfSpeakers(db: IdentityDb, speakerIds: readonly Buffer[]) {
  if (speakerIds.length === 0) return [];
  return preparedSql<NameRow & { speakerId: Buffer }>`
    select speaker_id, username, avatar_seed from identity.users where speaker_id = any(${speakerIds}::bytea[])
    union all
    select speaker_id, username, avatar_seed from identity.departed where speaker_id = any(${speakerIds}::bytea[])`.rows(
    db,
  );
}

export async function findAllowComments(db: IdentityDb, userId: bigint): Promise<boolean | undefined> {
  const row = await db
    .selectFrom('identity.users')
    .select('allowComments')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.allowComments;
}

export interface MatchFactsRow {
  readonly id: bigint;
  /** Interests, likes and dislikes as one JSON text: parsing three PostgreSQL arrays costs more CPU than the rest of a row. */
  readonly listsJson: string;
  readonly feelings: number;
  readonly feelingsFrom: Day | null;
  readonly matchPreference: string | null;
  readonly authorSeed: Buffer;
  readonly speakerId: Buffer;
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
}

/** The columns that matching reads. */
export async function findMatchFacts(db: IdentityDb, userId: bigint): Promise<MatchFactsRow | undefined> {
  const [row] = await preparedSql<MatchFactsRow>`
    select id, json_build_array(interests, likes, dislikes)::text as lists_json, feelings, feelings_from, match_preference,
           author_seed, speaker_id, created_on, last_seen_on
      from identity.users where id = ${userId}`.rows(db);
  return row;
}

export interface CandidateSearch {
  readonly plan: readonly { readonly feelings: number; readonly most: number }[];
  /** The `place` at which each set is entered; the search wraps around at the end. */
  readonly from: number;
  readonly seenSince: Day;
}

/** Rows scanned per candidate wanted, because some rows are of people who are inactive. */
const scanFactor = 4;

/** People with these feelings, from a place on. The scan is bounded even where nearly everybody is inactive. */
export async function findCandidates(
  db: IdentityDb,
  { plan, from, seenSince }: CandidateSearch,
): Promise<MatchFactsRow[]> {
  return preparedSql<MatchFactsRow>`
    select found.id, json_build_array(found.interests, found.likes, found.dislikes)::text as lists_json, found.feelings,
           found.feelings_from, found.match_preference, found.author_seed, found.speaker_id, found.created_on,
           found.last_seen_on
      from unnest(${plan.map(({ feelings }) => feelings)}::smallint[], ${plan.map(({ most }) => most)}::int[])
             as wanted (feelings, most)
     cross join lateral (
       select * from (
         (select * from identity.users
           where feelings = wanted.feelings and place >= ${from} order by place limit wanted.most * ${scanFactor})
         union all
         (select * from identity.users
           where feelings = wanted.feelings and place < ${from} order by place limit wanted.most * ${scanFactor})
         limit wanted.most * ${scanFactor}) as near
        where near.last_seen_on >= ${seenSince} and near.detached_on is null
        limit wanted.most) as found`.rows(db);
}

export async function lastUserId(db: IdentityDb): Promise<bigint> {
  const row = await db
    .selectFrom('identity.users')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0n;
}

/** One batch of the users seen since a day, in id order. */
export async function listSeenSince(db: IdentityDb, since: Day, after: bigint, limit: number) {
  return db
    .selectFrom('identity.users')
    .select('id')
    .where('id', '>', after)
    .where('lastSeenOn', '>=', since)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export interface ProfileChange {
  bio?: string;
  interests?: string[];
  likes?: string[];
  dislikes?: string[];
  feelings?: number;
  feelingsFrom?: Day | null;
  matchPreference?: string | null;
  anonymousChat?: boolean;
  allowComments?: boolean;
}

export async function updateProfile(db: IdentityDb, userId: bigint, change: ProfileChange) {
  return db
    .updateTable('identity.users')
    .set({ ...change, profileCompleted: true })
    .where('id', '=', userId)
    .returning(columns)
    .executeTakeFirst();
}

export async function updateAvatar(db: IdentityDb, userId: bigint, avatarSeed: string) {
  return db
    .updateTable('identity.users')
    .set({ avatarSeed })
    .where('id', '=', userId)
    .returning(columns)
    .executeTakeFirst();
}

/** Locks the row, which serializes concurrent changes of the name. */
export async function lockUser(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.users')
    .select(columns)
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateUsername(db: IdentityDb, userId: bigint, username: string) {
  return db
    .updateTable('identity.users')
    .set({ username })
    .where('id', '=', userId)
    .returning(columns)
    .executeTakeFirst();
}

/** What others read on a profile. */
export interface ProfileTexts {
  readonly username: string | null;
  readonly bio: string;
  readonly interests: readonly string[];
  readonly likes: readonly string[];
  readonly dislikes: readonly string[];
}

/** For moderation. Does not mark the profile as completed. */
export async function updateTexts(
  tx: IdentityDb,
  userId: bigint,
  { username, bio, interests, likes, dislikes }: ProfileTexts,
): Promise<void> {
  await tx
    .updateTable('identity.users')
    .set({ username, bio, interests: [...interests], likes: [...likes], dislikes: [...dislikes] })
    .where('id', '=', userId)
    .execute();
}

export async function isNameHeldForAnother(db: IdentityDb, name: string, userId: bigint, today: Day) {
  const row = await db
    .selectFrom('identity.heldUsernames')
    .select('nameKey')
    .where('nameKey', '=', name.toLowerCase())
    .where('heldUntil', '>=', today)
    .where(sql<boolean>`user_id is distinct from ${userId}`)
    .executeTakeFirst();
  return row !== undefined;
}

export async function holdName(
  db: IdentityDb,
  name: string,
  userId: bigint | null,
  heldUntil: Day,
): Promise<void> {
  await db
    .insertInto('identity.heldUsernames')
    .values({ nameKey: name.toLowerCase(), userId, heldUntil })
    .onConflict((conflict) => conflict.column('nameKey').doUpdateSet({ userId, heldUntil }))
    .execute();
}

export async function listHeldNames(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.heldUsernames')
    .select(['nameKey', 'heldUntil'])
    .where('userId', '=', userId)
    .execute();
}

export async function deleteReleasedNames(db: IdentityDb, today: Day): Promise<void> {
  await db.deleteFrom('identity.heldUsernames').where('heldUntil', '<', today).execute();
}

export interface DepartedRow extends NameRow {
  readonly username: string;
  readonly speakerId: Buffer;
  readonly until: Day;
}

export async function insertDeparted(tx: IdentityDb, row: DepartedRow): Promise<void> {
  await tx.insertInto('identity.departed').values(row).execute();
}

/** True if a row was deleted. */
export async function deleteDeparted(tx: IdentityDb, today: Day): Promise<boolean> {
  const row = await tx
    .deleteFrom('identity.departed')
    .where('until', '<', today)
    .returning('until')
    .executeTakeFirst();
  return row !== undefined;
}

/** Rewrites rows of departed people in key order: their physical order is the order of leaving. */
export async function rewriteDeparted(tx: IdentityDb): Promise<void> {
  await sql`
    with gone as (delete from identity.departed returning speaker_id, username, avatar_seed, until)
    insert into identity.departed (speaker_id, username, avatar_seed, until)
    select speaker_id, username, avatar_seed, until from gone order by speaker_id`.execute(tx);
  await sql`
    with gone as (delete from identity.held_usernames where user_id is null returning name_key, held_until)
    insert into identity.held_usernames (name_key, held_until)
    select name_key, held_until from gone order by name_key`.execute(tx);
}

/** Cascades to the number, sessions, devices and recovery code. */
export async function deleteUser(db: IdentityDb, userId: bigint): Promise<void> {
  await db.deleteFrom('identity.users').where('id', '=', userId).execute();
}
