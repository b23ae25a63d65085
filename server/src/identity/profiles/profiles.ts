import type { IdentityBase } from '../../kernel/base.ts';
import { randomBytes } from 'node:crypto';
import {
  canNameTeam,
  isAcceptableUsername,
  type Emotion,
  type MatchPreference,
  type PreferencesInput,
  type PublicUser,
  type SelfUser,
} from '@unsaid/contract';
import { today, type Day } from '../../platform/clock.ts';
import { transaction, type IdentityDb } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import type { JobRows } from '../../platform/job.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { rejectionError } from '../../platform/limiter.ts';
import type { CandidateSearch, Introduction, MatchFacts, PublicName } from '../../kernel/people.ts';
import { drawPersonRow, isPersonRow, type Person } from '../../kernel/person-keys.ts';
import type { StandingService } from '../../kernel/standing.ts';
import { avatarUrl } from './avatars.ts';
import { halfMonthOf } from '../../platform/coarse-days.ts';
import { factColumns, lookOn, newAccount, openFacts, type AccountFacts } from '../facts/account-facts.ts';
import { changeFacts, findFacts, requireFacts } from '../facts/account-facts.queries.ts';
import { runningWait } from '../facts/recovery-facts.ts';
import { findRecovery } from '../facts/recovery-facts.queries.ts';
import { toFeelingBits } from '../../kernel/feelings.ts';
import { findNamesOfSpeakers } from './profiles.hot.queries.ts';
import { nameHeldUntil } from './held-names.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';
import { publicView, selfView } from './profiles.view.ts';

const batchSize = 10_000;

export interface DetailsInput {
  readonly bio?: string | undefined;
  readonly interests?: string[] | undefined;
  readonly likes?: string[] | undefined;
  readonly dislikes?: string[] | undefined;
  readonly feelings?: Emotion[] | undefined;
  readonly allowComments?: boolean | undefined;
  readonly preferences?: PreferencesInput | undefined;
  readonly isSure?: boolean | undefined;
}

type SilentUser = Awaited<ReturnType<typeof queries.listByLook>>[number];

export interface ProfilesService {
  /** Inserts an empty profile, inside the caller's transaction. */
  createBlank(tx: IdentityDb): Promise<bigint>;
  /** Updates the last-seen day at a sign-in, which writes other rows at that moment anyway. Visits are flushed nightly. */
  markSeen(userId: bigint): Promise<void>;
  /** Names and avatars by user id, without departed people. */
  names(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, PublicName>>;
  /** Names with what introduces each person. */
  introductions(userIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Introduction>>;
  /** Names by speaker id in hex, including departed people whose named comments are not removed yet. */
  namesOfSpeakers(speakerIds: readonly Buffer[]): Promise<ReadonlyMap<string, PublicName>>;
  /** Null for a person who has left. */
  findUserBySpeaker(speakerId: Buffer): Promise<bigint | null>;
  /** Whether the user's new vents take comments. */
  allowsComments(userId: bigint): Promise<boolean>;
  /** Null for an account that no longer exists. */
  matchFacts(userId: bigint): Promise<MatchFacts | null>;
  candidates(search: CandidateSearch): Promise<MatchFacts[]>;
  /** Ids of the users seen since a day, in batches. */
  seenSince(since: Day): AsyncIterable<readonly bigint[]>;
  /** The users not seen since a day, in batches. */
  silentSince(lastSeenBy: Day): AsyncIterable<readonly SilentUser[]>;
  self(userId: bigint): Promise<SelfUser>;
  /** The profile under the requested id: the viewer's own, or that of a peer whom the caller has resolved. */
  byId(viewer: Viewer, shownId: string, peerId: bigint | null): Promise<SelfUser | PublicUser>;
  changeUsername(viewer: Viewer, newUsername: string): Promise<SelfUser>;
  /** For a command of operators: a name that nobody can choose, and that marks answers of the team. */
  setTeamName(userId: bigint, name: string): Promise<void>;
  updateDetails(viewer: Viewer, input: DetailsInput): Promise<{ user: SelfUser; isFirst: boolean }>;
  regenerateAvatar(viewer: Viewer): Promise<SelfUser>;
  /** Nightly: deletes held names that have expired, and names of departed people whose comments are removed. */
  releaseNames(rows: JobRows): Promise<void>;
}

interface ProfilesDeps extends Pick<
  IdentityBase,
  'db' | 'clock' | 'publicIds' | 'limiter' | 'persons' | 'metrics' | 'seals'
> {
  readonly standing: StandingService;
  /** Cached pages contain names and avatars. */
  onNamesChanged(): Promise<void>;
  onCommentsClosed(person: Person): Promise<void>;
}

export function createProfilesService(deps: ProfilesDeps): ProfilesService {
  const { db, clock, publicIds, limiter, persons, seals, standing, metrics } = deps;
  const { onNamesChanged, onCommentsClosed } = deps;

  async function toSelf(row: queries.UserRow | undefined): Promise<SelfUser> {
    // Race: the account was deleted after the session check.
    const facts = row && isPersonRow(row, seals) && openFacts(seals, row);
    if (!facts) throw new AppError('UNAUTHENTICATED');
    const [standingNow, recovery] = await Promise.all([
      standing.find(persons(row), { skipCache: false }),
      findRecovery(db, seals, row.id),
    ]);
    const wait = recovery && runningWait(recovery, clock.now());
    return selfView(row, { standing: standingNow, today: today(clock), facts, wait }, publicIds);
  }

  function toMatchFacts({
    id,
    listsJson,
    authorSeed,
    speakerId,
    matchPreference,
    facts,
    ...rest
  }: queries.MatchFactsRow): MatchFacts | null {
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

  const self = async (userId: bigint) => toSelf(await queries.findUser(db, userId));

  /** All users on one side of a month, in batches. */
  async function* byLook(side: Parameters<typeof queries.listByLook>[1]): AsyncIterable<SilentUser[]> {
    for (let after = 0n; ;) {
      const rows = await queries.listByLook(db, side, after, batchSize);
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      after = last.id;
    }
  }

  async function rename(userId: bigint, newUsername: string) {
    try {
      const row = await transaction(db, async (tx) => {
        const before = await queries.lockUser(tx, userId);
        const day = today(clock);
        if (await heldNames.isNameHeldForAnother(tx, newUsername, userId, day)) {
          throw new AppError('USERNAME_TAKEN');
        }
        if (before?.username && before.username.toLowerCase() !== newUsername.toLowerCase()) {
          await heldNames.holdName(tx, before.username, userId, nameHeldUntil(day));
        }
        return queries.updateUsername(tx, userId, newUsername);
      });
      await onNamesChanged();
      return row;
    } catch (error) {
      if (isUniqueViolation(error, 'users_username')) throw new AppError('USERNAME_TAKEN');
      throw error;
    }
  }

  const lastSeenOn = (row: SilentUser) => openFacts(seals, row)?.lastSeenOn ?? null;

  return {
    async createBlank(tx) {
      const row = drawPersonRow(seals);
      const facts = factColumns(seals, row.id, newAccount(today(clock)));
      await queries.insertUser(tx, { ...row, ...facts, avatarSeed: randomAvatarSeed() });
      return row.id;
    },

    async markSeen(userId) {
      const lastSeenOn = today(clock);
      const facts = await findFacts(db, seals, userId);
      if (facts && facts.lastSeenOn < lastSeenOn)
        await transaction(db, (tx) => changeFacts(tx, seals, userId, { lastSeenOn }));
    },

    async names(userIds) {
      const rows = await queries.findNames(db, [...new Set(userIds)]);
      return new Map(rows.map((row) => [row.id, publicName(row)]));
    },

    async introductions(userIds) {
      const rows = await queries.findIntroductions(db, [...new Set(userIds)]);
      return new Map(
        rows.map(({ listsJson, bio, ...row }) => {
          const [interests, likes] = JSON.parse(listsJson) as [string[], string[]];
          return [row.id, { ...publicName(row), bio, interests, likes }];
        }),
      );
    },

    async namesOfSpeakers(speakerIds) {
      const rows = await findNamesOfSpeakers(db, speakerIds);
      return new Map(rows.map((row) => [row.speakerId.toString('hex'), publicName(row)]));
    },

    findUserBySpeaker: async (speakerId) => (await queries.findUserBySpeaker(db, speakerId)) ?? null,

    allowsComments: async (userId) => (await requireFacts(db, seals, userId)).allowComments,

    async matchFacts(userId) {
      const row = await queries.findMatchFacts(db, userId);
      return row ? toMatchFacts(row) : null;
    },

    async candidates({ seenSince, ...search }) {
      const rows = await queries.findCandidates(db, { ...search, lookSince: lookOn(seenSince) });
      return rows.map(toMatchFacts).filter((facts) => facts !== null);
    },

    async *seenSince(since) {
      for await (const rows of byLook(['>=', lookOn(since)]))
        yield rows.filter((row) => (lastSeenOn(row) ?? '') >= since).map(({ id }) => id);
    },

    async *silentSince(lastSeenBy) {
      for await (const rows of byLook(['<=', lookOn(lastSeenBy)])) {
        yield rows.filter((row) => {
          const day = lastSeenOn(row);
          return day !== null && day <= lastSeenBy;
        });
      }
    },

    self,

    async byId(viewer, shownId, peerId) {
      if (publicIds.user.decode(shownId) === viewer.userId) return self(viewer.userId);
      // Same statement without a peer, so that timing does not reveal a forged id.
      const row = await queries.findUser(db, peerId ?? -1n);
      if (!row) throw new AppError('NOT_FOUND');
      return publicView(row, shownId);
    },

    async changeUsername(viewer, newUsername) {
      if (!isAcceptableUsername(newUsername)) throw new AppError('USERNAME_INVALID');
      // An underscore separates what the guard reads as digits: 98765_43210.
      refuseIdentity(metrics, { newUsername }, true);
      const current = await queries.findUser(db, viewer.userId);
      if (current?.username === newUsername) return toSelf(current);
      // Consumed here and not in the endpoint's rate: submitting the current name again is free.
      const rejection = await limiter.consumeBuckets([
        { budget: 'username', subject: viewer.rateLimitKey('username') },
      ]);
      if (rejection) {
        throw rejectionError('RATE_LIMITED', rejection);
      }
      return toSelf(await rename(viewer.userId, newUsername));
    },

    async setTeamName(userId, name) {
      if (!canNameTeam(name)) throw new AppError('USERNAME_INVALID');
      await rename(userId, name);
    },

    async updateDetails(viewer, input) {
      const { bio, interests, likes, dislikes, isSure } = input;
      refuseIdentity(metrics, { bio, interests, likes, dislikes }, isSure);
      const { before, row } = await transaction(db, async (tx) => {
        const before = await queries.lockUser(tx, viewer.userId);
        const facts = before && openFacts(seals, before);
        if (!facts) throw new AppError('UNAUTHENTICATED');
        const change = {
          ...toChange(input),
          ...factColumns(seals, viewer.userId, { ...facts, ...toFacts(input, today(clock)) }),
        };
        return { before, row: await queries.updateProfile(tx, viewer.userId, change) };
      });
      if (input.allowComments === false) await onCommentsClosed(viewer.person);
      return { user: await toSelf(row), isFirst: !before.profileCompleted };
    },

    async regenerateAvatar(viewer) {
      const row = await queries.updateAvatar(db, viewer.userId, randomAvatarSeed());
      await onNamesChanged();
      return toSelf(row);
    },

    async releaseNames(rows) {
      await transaction(db, async (tx, afterCommit) => {
        const day = today(clock);
        await heldNames.deleteReleasedNames(tx, day);
        // One transaction: a name that is still shown must not be free for others.
        if (await heldNames.deleteDeparted(tx, day)) afterCommit(onNamesChanged);
      });
      await heldNames.rewriteDeparted(db, rows);
    },
  };
}

function publicName({ username, avatarSeed }: queries.NameRow): PublicName {
  return { username, profilePic: avatarUrl(avatarSeed) };
}

function randomAvatarSeed(): string {
  return randomBytes(9).toString('base64url');
}

/** Only fields that were sent change. The sign-up form sends its preference as a bare string. */
function toChange({
  bio,
  interests,
  likes,
  dislikes,
  feelings,
  preferences,
}: DetailsInput): queries.ProfileChange {
  const wanted = typeof preferences === 'string' ? { matchPreference: preferences } : (preferences ?? {});
  return {
    ...(bio === undefined ? {} : { bio }),
    ...(interests === undefined ? {} : { interests }),
    ...(likes === undefined ? {} : { likes }),
    ...(dislikes === undefined ? {} : { dislikes }),
    ...(feelings === undefined ? {} : { feelings: toFeelingBits(feelings) }),
    ...(wanted.matchPreference === undefined ? {} : { matchPreference: wanted.matchPreference || null }),
  };
}

function toFacts({ feelings, allowComments, preferences }: DetailsInput, day: Day): Partial<AccountFacts> {
  const anonymousChat = typeof preferences === 'object' ? preferences.anonymousChat : undefined;
  return {
    ...(feelings === undefined ? {} : { feelingsFrom: feelings.length > 0 ? halfMonthOf(day) : null }),
    ...(allowComments === undefined ? {} : { allowComments }),
    ...(anonymousChat === undefined ? {} : { anonymousChat }),
  };
}
