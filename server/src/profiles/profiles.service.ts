import { randomBytes } from 'node:crypto';
import {
  isAcceptableUsername,
  type Emotion,
  type MatchPreference,
  type PreferencesInput,
  type PublicUser,
  type SelfUser,
} from '@unsaid/contract';
import { addDays, today, type Clock, type Day } from '../platform/clock.ts';
import { isUniqueViolation, transaction, type Databases, type IdentityDb } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import { refusalError, type Limiter } from '../platform/limiter.ts';
import { drawPersonRow, type Person, type Persons } from '../platform/persons.ts';
import type { Seals } from '../platform/seals.ts';
import type { StandingService } from '../standing/standing.service.ts';
import { avatarUrl } from './avatars.ts';
import { halfMonthOf, toFeelingBits } from './feelings.ts';
import * as queries from './profiles.queries.ts';
import { publicView, selfView } from './profiles.view.ts';

/** A name given up is kept from others this long. */
export const nameHeldDays = 30;
const seenBatch = 10_000;
const spanOfUsers = 50_000n;

export interface PublicName {
  readonly username: string | null;
  readonly profilePic: string;
}

/** What matching reads of somebody: what they say about themselves, and when they came and were last here. */
export interface MatchFacts {
  readonly userId: bigint;
  readonly feelings: number;
  readonly feelingsFrom: Day | null;
  readonly interests: readonly string[];
  readonly likes: readonly string[];
  readonly dislikes: readonly string[];
  readonly preference: MatchPreference | null;
  readonly person: Person;
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
}

export interface DetailsInput {
  readonly bio?: string | undefined;
  readonly interests?: string[] | undefined;
  readonly likes?: string[] | undefined;
  readonly dislikes?: string[] | undefined;
  readonly feelings?: Emotion[] | undefined;
  readonly allowComments?: boolean | undefined;
  readonly preferences?: PreferencesInput | undefined;
}

export interface ProfilesService {
  /** A person with nothing said about them yet, inside the caller's transaction. */
  createBlank(tx: IdentityDb): Promise<bigint>;
  /** At a sign-in, which writes rows of its own at that moment. Visits are written in the night. */
  markSeen(userId: bigint): Promise<void>;
  /** Names and pictures by account; whoever has left is not in it. */
  names(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, PublicName>>;
  /** The same by speaker id, in hex; and who has left is in it as long as their comments are still to go. */
  namesOfSpeakers(speakerIds: readonly Buffer[]): Promise<ReadonlyMap<string, PublicName>>;
  /** Whether their new vents take comments. */
  allowsComments(userId: bigint): Promise<boolean>;
  /** Null for somebody who has left. */
  matchFacts(userId: bigint): Promise<MatchFacts | null>;
  candidates(search: queries.CandidateSearch): Promise<MatchFacts[]>;
  /** All accounts there are, as spans of so many that a statement about one is short. */
  everybody(): AsyncIterable<{ readonly after: bigint; readonly through: bigint }>;
  /** Everybody who was here since a day, in batches. */
  seenSince(since: Day): AsyncIterable<readonly bigint[]>;
  self(userId: bigint): Promise<SelfUser>;
  /** Under the id that was asked for: one's own, or the id of a peer whom the caller has looked up. */
  byId(viewer: Viewer, shownId: string, peerId: bigint | null): Promise<SelfUser | PublicUser>;
  changeUsername(viewer: Viewer, newUsername: string): Promise<SelfUser>;
  updateDetails(viewer: Viewer, input: DetailsInput): Promise<{ user: SelfUser; isFirst: boolean }>;
  drawAvatar(viewer: Viewer): Promise<SelfUser>;
  /** Each night: names that nobody need wait for any longer, and those of people who left and whose comments are gone. */
  releaseNames(): Promise<void>;
}

interface ProfilesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly limiter: Limiter;
  readonly persons: Persons;
  readonly standing: StandingService;
  /** Names and pictures stand on every page with a comment of theirs. */
  readonly pages: { drop(): Promise<void> };
}

export function createProfilesService(deps: ProfilesDeps): ProfilesService {
  const { db, clock, seals, limiter, persons, standing, pages } = deps;

  async function toSelf(row: queries.UserRow | undefined): Promise<SelfUser> {
    // The account was deleted between the session check and here.
    if (!row) throw new AppError('UNAUTHENTICATED');
    const isSuspended = await standing.isSuspended(persons(row), { skipCache: false });
    return selfView(row, { isSuspended, today: today(clock) }, seals);
  }

  function toMatchFacts({
    id,
    said,
    authorSeed,
    speakerId,
    matchPreference,
    ...rest
  }: queries.Facts): MatchFacts {
    const [interests, likes, dislikes] = JSON.parse(said) as [string[], string[], string[]];
    let person: Person | undefined;
    return {
      ...rest,
      userId: id,
      interests,
      likes,
      dislikes,
      preference: matchPreference as MatchPreference | null,
      // Made for few of the many whose facts are read, and once: people are looked up in sets.
      get person() {
        person ??= persons({ authorSeed, speakerId });
        return person;
      },
    };
  }

  const self = async (userId: bigint) => toSelf(await queries.findUser(db.identity, userId));

  return {
    createBlank: (tx) =>
      queries.insertUser(tx, {
        avatarSeed: drawSeed(),
        ...drawPersonRow(),
        today: today(clock),
      }),

    markSeen: (userId) => queries.touchUser(db.identity, userId, today(clock)),

    async names(userIds) {
      const rows = await queries.findNames(db.identity, [...new Set(userIds)]);
      return new Map(rows.map((row) => [row.id, publicName(row)]));
    },

    async namesOfSpeakers(speakerIds) {
      const rows = await queries.findNamesOfSpeakers(db.identity, speakerIds);
      return new Map(rows.map((row) => [row.speakerId.toString('hex'), publicName(row)]));
    },

    async allowsComments(userId) {
      const isAllowed = await queries.findAllowComments(db.identity, userId);
      // The account was deleted between the session check and here.
      if (isAllowed === undefined) throw new AppError('UNAUTHENTICATED');
      return isAllowed;
    },

    async matchFacts(userId) {
      const row = await queries.findFacts(db.identity, userId);
      return row ? toMatchFacts(row) : null;
    },

    async candidates(search) {
      return (await queries.findCandidates(db.identity, search)).map(toMatchFacts);
    },

    async *everybody() {
      const last = await queries.lastUserId(db.identity);
      for (let after = 0n; after < last; after += spanOfUsers) yield { after, through: after + spanOfUsers };
    },

    async *seenSince(since) {
      let after = 0n;
      for (;;) {
        const rows = await queries.listSeenSince(db.identity, since, after, seenBatch);
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(({ id }) => id);
        after = last.id;
      }
    },

    self,

    async byId(viewer, shownId, peerId) {
      if (seals.user.open(shownId) === viewer.userId) return self(viewer.userId);
      // One statement whether or not there is a peer, so that a forged id takes no other path.
      const row = await queries.findUser(db.identity, peerId ?? -1n);
      if (!row) throw new AppError('NOT_FOUND');
      return publicView(row, shownId);
    },

    async changeUsername(viewer, newUsername) {
      if (!isAcceptableUsername(newUsername)) throw new AppError('USERNAME_INVALID');
      const current = await queries.findUser(db.identity, viewer.userId);
      if (current?.username === newUsername) return toSelf(current);
      // Drawn here and not at the door: looking at one's own name again costs nothing.
      const refusal = await limiter.takeFromBuckets([
        { budget: 'username', subject: viewer.countedAs('username') },
      ]);
      if (refusal) {
        throw refusalError('RATE_LIMITED', refusal);
      }
      try {
        const row = await transaction(db.identity, async (tx) => {
          const before = await queries.lockUser(tx, viewer.userId);
          const day = today(clock);
          if (await queries.isNameHeldForAnother(tx, newUsername, viewer.userId, day)) {
            throw new AppError('USERNAME_TAKEN');
          }
          if (before?.username && before.username.toLowerCase() !== newUsername.toLowerCase()) {
            await queries.holdName(tx, before.username, viewer.userId, addDays(day, nameHeldDays));
          }
          return queries.updateUsername(tx, viewer.userId, newUsername);
        });
        await pages.drop();
        return await toSelf(row);
      } catch (error) {
        if (isUniqueViolation(error, 'users_username')) throw new AppError('USERNAME_TAKEN');
        throw error;
      }
    },

    async updateDetails(viewer, input) {
      const before = await queries.findUser(db.identity, viewer.userId);
      const row = await queries.updateProfile(db.identity, viewer.userId, toChange(input, today(clock)));
      return { user: await toSelf(row), isFirst: before?.profileCompleted === false };
    },

    async drawAvatar(viewer) {
      const row = await queries.updateAvatar(db.identity, viewer.userId, drawSeed());
      await pages.drop();
      return toSelf(row);
    },

    releaseNames: () =>
      transaction(db.identity, async (tx, afterCommit) => {
        const day = today(clock);
        await queries.deleteReleasedNames(tx, day);
        // In one transaction: a name that is still shown is nobody else's.
        if (await queries.deleteDeparted(tx, day)) afterCommit(() => pages.drop());
        await queries.rewriteLeft(tx);
      }),
  };
}

function publicName({ username, avatarSeed }: queries.NameRow): PublicName {
  return { username, profilePic: avatarUrl(avatarSeed) };
}

function drawSeed(): string {
  return randomBytes(9).toString('base64url');
}

/** Only what was sent changes; the signup form sends its preference as a bare string. */
function toChange(
  { bio, interests, likes, dislikes, feelings, allowComments, preferences }: DetailsInput,
  day: Day,
): queries.ProfileChange {
  const wanted = typeof preferences === 'string' ? { matchPreference: preferences } : (preferences ?? {});
  return {
    ...(bio === undefined ? {} : { bio }),
    ...(interests === undefined ? {} : { interests }),
    ...(likes === undefined ? {} : { likes }),
    ...(dislikes === undefined ? {} : { dislikes }),
    ...(feelings === undefined
      ? {}
      : {
          feelings: toFeelingBits(feelings),
          feelingsFrom: feelings.length > 0 ? halfMonthOf(day) : null,
        }),
    ...(allowComments === undefined ? {} : { allowComments }),
    ...(wanted.matchPreference === undefined ? {} : { matchPreference: wanted.matchPreference || null }),
    ...('anonymousChat' in wanted && wanted.anonymousChat !== undefined
      ? { anonymousChat: wanted.anonymousChat }
      : {}),
  };
}
