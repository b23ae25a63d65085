import { addDays, dayMs, startOfDay, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { isUniqueViolation } from '../platform/db-errors.ts';
import { nameHeldDays } from './profiles.service.ts';
import { findCreatedOn, findPersonRow, findWords } from './profile-moderation.queries.ts';
import * as queries from './profiles.queries.ts';

export type ProfileTexts = queries.ProfileTexts;
export type ProfileWords = NonNullable<Awaited<ReturnType<typeof findWords>>>;

/** What moderation reads of an account, and what a decision does to a profile: its texts are emptied, or put back. */
export interface ProfileModeration {
  /** The texts with the owner's speaker id. */
  find(userId: bigint): Promise<ProfileWords | null>;
  /** Whole days since the account was made. 0 if it is gone. */
  ageInDays(userId: bigint): Promise<number>;
  /** What a person's keys are derived from. Undefined if the account is gone. */
  findBySpeaker(speakerId: Buffer): ReturnType<typeof findPersonRow>;
  /** Null for an account that no longer exists. */
  findTexts(userId: bigint): Promise<ProfileTexts | null>;
  /** Empties the texts if they are still these. False where they were changed meanwhile. */
  clear(userId: bigint, texts: ProfileTexts): Promise<boolean>;
  /** Puts texts back where there is nothing now: what the person wrote since stays. */
  restore(userId: bigint, texts: ProfileTexts): Promise<void>;
}

interface ProfileModerationDeps {
  readonly db: Databases;
  readonly clock: Clock;
  /** Cached pages contain names. */
  readonly feedCache: { invalidateAll(): Promise<void> };
}

const emptyTexts: ProfileTexts = { username: null, bio: '', interests: [], likes: [], dislikes: [] };
const textsOf = ({ username, bio, interests, likes, dislikes }: ProfileTexts): ProfileTexts => ({
  username,
  bio,
  interests,
  likes,
  dislikes,
});
const isSame = (a: ProfileTexts, b: ProfileTexts) =>
  JSON.stringify(textsOf(a)) === JSON.stringify(textsOf(b));

/** Each text of `first` that is not empty, else that of `second`. */
export function mergeTexts(first: ProfileTexts, second: ProfileTexts): ProfileTexts {
  const list = (key: 'interests' | 'likes' | 'dislikes') =>
    first[key].length > 0 ? first[key] : second[key];
  return {
    username: first.username ?? second.username,
    bio: first.bio || second.bio,
    interests: list('interests'),
    likes: list('likes'),
    dislikes: list('dislikes'),
  };
}

export function createProfileModeration({ db, clock, feedCache }: ProfileModerationDeps): ProfileModeration {
  return {
    find: async (userId) => (await findWords(db.identity, userId)) ?? null,

    async ageInDays(userId) {
      const day = today(clock);
      const createdOn = (await findCreatedOn(db.identity, userId)) ?? day;
      return Math.round((startOfDay(day) - startOfDay(createdOn)) / dayMs);
    },

    findBySpeaker: (speakerId) => findPersonRow(db.identity, speakerId),

    async findTexts(userId) {
      const row = await queries.findUser(db.identity, userId);
      return row ? textsOf(row) : null;
    },

    clear: (userId, texts) =>
      transaction(db.identity, async (tx, afterCommit) => {
        const row = await queries.lockUser(tx, userId);
        if (!row) return true;
        if (!isSame(row, texts)) return false;
        if (isSame(row, emptyTexts)) return true;
        // Nobody else takes the name while the decision can be undone.
        if (row.username)
          await queries.holdName(tx, row.username, userId, addDays(today(clock), nameHeldDays));
        await queries.updateTexts(tx, userId, emptyTexts);
        afterCommit(() => feedCache.invalidateAll());
        return true;
      }),

    async restore(userId, texts) {
      const write = (username: string | null) =>
        transaction(db.identity, async (tx, afterCommit) => {
          const row = await queries.lockUser(tx, userId);
          if (!row) return;
          const isHeld =
            username !== null && (await queries.isNameHeldForAnother(tx, username, userId, today(clock)));
          const next = mergeTexts(row, { ...texts, username: isHeld ? null : username });
          if (isSame(row, next)) return;
          await queries.updateTexts(tx, userId, next);
          afterCommit(() => feedCache.invalidateAll());
        });
      try {
        await write(texts.username);
      } catch (error) {
        // Somebody has the name by now.
        if (!isUniqueViolation(error, 'users_username')) throw error;
        await write(null);
      }
    },
  };
}
