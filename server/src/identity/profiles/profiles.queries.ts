import { sql } from 'kysely';
import type { CandidateSearch } from '../../kernel/people.ts';
import type { SealedPersonRow } from '../../kernel/person-keys.ts';
import type { ProfileTexts } from '../../kernel/profile-texts.ts';
import type { Day } from '../../platform/clock.ts';
import type { factColumns } from '../facts/account-facts.ts';
import type { IdentityDb } from '../../platform/db.ts';

const columns = [
  'id',
  'username',
  'bio',
  'interests',
  'likes',
  'dislikes',
  'feelings',
  'matchPreference',
  'profileCompleted',
  'avatarSeed',
  'authorSeed',
  'speakerId',
  'seal',
  'facts',
] as const;

const selectUser = (db: IdentityDb, userId: bigint) =>
  db.selectFrom('identity.users').select(columns).where('id', '=', userId);

export const findUser = (db: IdentityDb, userId: bigint) => selectUser(db, userId).executeTakeFirst();

/** Locks the row, which serializes concurrent changes of the name. */
export const lockUser = (db: IdentityDb, userId: bigint) =>
  selectUser(db, userId).forUpdate().executeTakeFirst();

type FactColumns = ReturnType<typeof factColumns>;

interface NewUser extends SealedPersonRow, FactColumns {
  readonly avatarSeed: string;
}

export async function insertUser(db: IdentityDb, row: NewUser): Promise<void> {
  await db.insertInto('identity.users').values(row).execute();
}

export interface NameRow {
  readonly username: string | null;
  readonly avatarSeed: string;
}

export async function findNames(db: IdentityDb, userIds: readonly bigint[]) {
  if (userIds.length === 0) return [];
  const { rows } = await sql<NameRow & { id: bigint }>`
    select id, username, avatar_seed from identity.users where id = any(${userIds})`.execute(db);
  return rows;
}

/** Lists as one JSON text, as in `MatchFactsRow`. */
export async function findIntroductions(db: IdentityDb, userIds: readonly bigint[]) {
  if (userIds.length === 0) return [];
  const { rows } = await sql<NameRow & { id: bigint; bio: string; listsJson: string }>`
    select id, username, avatar_seed, bio, json_build_array(interests, likes)::text as lists_json
      from identity.users where id = any(${userIds})`.execute(db);
  return rows;
}

export async function findUserBySpeaker(db: IdentityDb, speakerId: Buffer): Promise<bigint | null> {
  const row = await db
    .selectFrom('identity.users')
    .select('id')
    .where('speakerId', '=', speakerId)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function findPersonRowOfSpeaker(db: IdentityDb, speakerId: Buffer) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal'])
    .where('speakerId', '=', speakerId)
    .executeTakeFirst();
}

/** The words of a profile that its matches read. */
export async function findWords(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.users')
    .select(['username', 'bio', 'interests', 'likes', 'dislikes', 'speakerId'])
    .where('id', '=', userId)
    .executeTakeFirst();
}

export interface MatchFactsRow {
  readonly id: bigint;
  /** Interests, likes and dislikes as one JSON text: parsing three PostgreSQL arrays costs more CPU than the rest of a row. */
  readonly listsJson: string;
  readonly feelings: number;
  readonly matchPreference: string | null;
  readonly authorSeed: Buffer;
  readonly speakerId: Buffer;
  readonly facts: Buffer;
}

/** The columns that matching reads. */
export async function findMatchFacts(db: IdentityDb, userId: bigint): Promise<MatchFactsRow | undefined> {
  const {
    rows: [row],
  } = await sql<MatchFactsRow>`
    select id, json_build_array(interests, likes, dislikes)::text as lists_json, feelings, match_preference,
           author_seed, speaker_id, facts
      from identity.users where id = ${userId}`.execute(db);
  return row;
}

/** Rows scanned per candidate wanted, because some rows are of people who are inactive. */
const scanFactor = 4;

/** People with these feelings, from a place on, who are not looked at before a month. The scan is bounded even where nearly everybody is inactive. */
export async function findCandidates(
  db: IdentityDb,
  { plan, from, lookSince }: Omit<CandidateSearch, 'seenSince'> & { readonly lookSince: Day },
): Promise<MatchFactsRow[]> {
  const { rows } = await sql<MatchFactsRow>`
    select found.id, json_build_array(found.interests, found.likes, found.dislikes)::text as lists_json, found.feelings,
           found.match_preference, found.author_seed, found.speaker_id, found.facts
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
        where near.look_on >= ${lookSince} and not near.is_detached
        limit wanted.most) as found`.execute(db);
  return rows;
}

/** One batch of the users who are looked at in a month or later, or in a month or earlier, in id order. */
export async function listByLook(
  db: IdentityDb,
  [operator, month]: readonly ['>=' | '<=', Day],
  after: bigint,
  limit: number,
) {
  return db
    .selectFrom('identity.users')
    .select(['id', 'authorSeed', 'speakerId', 'seal', 'facts'])
    .where('id', '>', after)
    .where('lookOn', operator, month)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/** A field that is undefined stays as it is. */
export interface ProfileChange {
  readonly bio?: string | undefined;
  readonly interests?: string[] | undefined;
  readonly likes?: string[] | undefined;
  readonly dislikes?: string[] | undefined;
  readonly feelings?: number | undefined;
  readonly matchPreference?: string | null | undefined;
}

interface UserChange extends ProfileChange, Partial<FactColumns> {
  readonly username?: string;
  readonly avatarSeed?: string;
  readonly profileCompleted?: boolean;
}

export async function updateUser(db: IdentityDb, userId: bigint, change: UserChange) {
  return db
    .updateTable('identity.users')
    .set(change)
    .where('id', '=', userId)
    .returning(columns)
    .executeTakeFirst();
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

/** With all that refers to it: nothing cascades, because the nightly rewrite deletes and inserts accounts. */
export async function deleteUser(tx: IdentityDb, userId: bigint): Promise<void> {
  for (const table of ['phoneIndex', 'sessions', 'devices', 'recoveryCodes', 'choices'] as const)
    await tx.deleteFrom(`identity.${table}`).where('userId', '=', userId).execute();
  await tx.updateTable('identity.heldUsernames').set({ userId: null }).where('userId', '=', userId).execute();
  await tx.deleteFrom('identity.users').where('id', '=', userId).execute();
}
