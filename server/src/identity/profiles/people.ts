import type { MatchPreference } from '@unsaid/contract';
import type { CandidateSearch, Introduction, MatchFacts, PublicName } from '../../kernel/people.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Day } from '../../platform/clock.ts';
import type { IdentityContext } from '../context.ts';
import { lookOn, openFacts } from '../facts/account-facts.ts';
import { requireFacts } from '../facts/account-facts.queries.ts';
import { avatarUrl } from './avatars.ts';
import { findNamesOfSpeakers } from './profiles.hot.queries.ts';
import * as queries from './profiles.queries.ts';

/** What the other schemas are told of people. */

const batchSize = 10_000;

type SilentUser = Awaited<ReturnType<typeof queries.listByLook>>[number];

const publicName = ({ username, avatarSeed }: queries.NameRow): PublicName => ({
  username,
  profilePic: avatarUrl(avatarSeed),
});

/** Names and avatars by user id, without departed people. */
export async function namesOf(
  { db }: IdentityContext,
  userIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, PublicName>> {
  const rows = await queries.findNames(db, [...new Set(userIds)]);
  return new Map(rows.map((row) => [row.id, publicName(row)]));
}

/** Names with what introduces each person. */
export async function introductionsOf(
  { db }: IdentityContext,
  userIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, Introduction>> {
  const rows = await queries.findIntroductions(db, [...new Set(userIds)]);
  return new Map(
    rows.map(({ listsJson, bio, ...row }) => {
      const [interests, likes] = JSON.parse(listsJson) as [string[], string[]];
      return [row.id, { ...publicName(row), bio, interests, likes }];
    }),
  );
}

/** Names by speaker id in hex, including departed people whose named comments are not removed yet. */
export async function namesOfSpeakers(
  { db }: IdentityContext,
  speakerIds: readonly Buffer[],
): Promise<ReadonlyMap<string, PublicName>> {
  const rows = await findNamesOfSpeakers(db, speakerIds);
  return new Map(rows.map((row) => [row.speakerId.toString('hex'), publicName(row)]));
}

/** Null for a person who has left. */
export const findUserBySpeaker = ({ db }: IdentityContext, speakerId: Buffer): Promise<bigint | null> =>
  queries.findUserBySpeaker(db, speakerId);

/** Whether the user's new vents take comments. */
export const allowsComments = async ({ db, seals }: IdentityContext, userId: bigint): Promise<boolean> =>
  (await requireFacts(db, seals, userId)).allowComments;

/** Null for an account that no longer exists. */
export async function findMatchFacts(ctx: IdentityContext, userId: bigint): Promise<MatchFacts | null> {
  const row = await queries.findMatchFacts(ctx.db, userId);
  return row ? toMatchFacts(ctx, row) : null;
}

export async function findCandidates(
  ctx: IdentityContext,
  { seenSince, ...search }: CandidateSearch,
): Promise<MatchFacts[]> {
  const rows = await queries.findCandidates(ctx.db, { ...search, lookSince: lookOn(seenSince) });
  return rows.map((row) => toMatchFacts(ctx, row)).filter((facts) => facts !== null);
}

function toMatchFacts(
  { seals, persons }: IdentityContext,
  { id, listsJson, authorSeed, speakerId, matchPreference, facts, ...rest }: queries.MatchFactsRow,
): MatchFacts | null {
  const opened = openFacts(seals, { id, facts });
  if (!opened) return null;
  const [interests, likes, dislikes] = JSON.parse(listsJson) as [string[], string[], string[]];
  let person: Person | undefined;
  return {
    ...rest,
    createdOn: opened.createdOn,
    lastSeenOn: opened.lastSeenOn,
    feelingsFrom: opened.feelingsFrom,
    userId: id,
    interests,
    likes,
    dislikes,
    preference: matchPreference as MatchPreference | null,
    // Derived lazily, for the few rows that need it, and once: callers compare Person objects by identity.
    get person() {
      person ??= persons({ authorSeed, speakerId });
      return person;
    },
  };
}

/** Ids of the users seen since a day, in batches. */
export async function* seenSince(ctx: IdentityContext, since: Day): AsyncIterable<readonly bigint[]> {
  for await (const rows of byLook(ctx, ['>=', lookOn(since)]))
    yield rows.filter((row) => (lastSeenOn(ctx, row) ?? '') >= since).map(({ id }) => id);
}

/** The users not seen since a day, in batches. */
export async function* silentSince(
  ctx: IdentityContext,
  lastSeenBy: Day,
): AsyncIterable<readonly SilentUser[]> {
  for await (const rows of byLook(ctx, ['<=', lookOn(lastSeenBy)])) {
    yield rows.filter((row) => {
      const day = lastSeenOn(ctx, row);
      return day !== null && day <= lastSeenBy;
    });
  }
}

const lastSeenOn = ({ seals }: IdentityContext, row: SilentUser) => openFacts(seals, row)?.lastSeenOn ?? null;

/** All users on one side of a month, in batches. */
async function* byLook(
  { db }: IdentityContext,
  side: Parameters<typeof queries.listByLook>[1],
): AsyncIterable<SilentUser[]> {
  for (let after = 0n; ;) {
    const rows = await queries.listByLook(db, side, after, batchSize);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.id;
  }
}
