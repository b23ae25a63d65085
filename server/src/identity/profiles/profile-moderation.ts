import type { IdentityBase } from '../../kernel/base.ts';
import { daysBetween, today } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import { filled, type ItemCopy, type SubjectOf } from '../../kernel/subjects.ts';
import { isPersonRow } from '../../kernel/person-keys.ts';
import { mergeTexts, type ProfileTexts } from '../../kernel/profile-texts.ts';
import { findFacts } from '../facts/account-facts.queries.ts';
import { nameHeldUntil } from './held-names.ts';
import { findPersonRow, findWords } from './profile-moderation.queries.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';

type ProfileSubject = SubjectOf<'profile'>;

interface ProfileModerationDeps extends Pick<IdentityBase, 'db' | 'clock' | 'seals'> {
  /** Cached pages contain names. */
  onNamesChanged(): Promise<void>;
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

/** What moderation reads of an account, and what a decision does to a profile: its texts are emptied, or put back. */
export function createProfileModeration({ db, clock, seals, onNamesChanged }: ProfileModerationDeps) {
  async function findTexts(userId: bigint): Promise<ProfileTexts | null> {
    const row = await queries.findUser(db, userId);
    return row ? textsOf(row) : null;
  }

  return {
    async read({ userId }: ProfileSubject): Promise<ItemCopy> {
      const profile = await findWords(db, userId);
      if (!profile) throw new AppError('NOT_FOUND');
      const { username, bio, interests, likes, dislikes, speakerId } = profile;
      const paragraphs = filled([
        { label: 'Username', text: username ?? '' },
        { label: 'Bio', text: bio },
        { label: 'Interests', text: interests.join(', ') },
        { label: 'Likes', text: likes.join(', ') },
        { label: 'Dislikes', text: dislikes.join(', ') },
      ]);
      return {
        snapshot: { paragraphs, excerpt: null },
        author: { speakerId },
        words: paragraphs.map(({ text }) => text).join('\n'),
        unseenAs: null,
      };
    },

    async listExisting(subjects: readonly ProfileSubject[]): Promise<readonly ProfileSubject[]> {
      const existing: ProfileSubject[] = [];
      for (const subject of subjects) if (await findTexts(subject.userId)) existing.push(subject);
      return existing;
    },

    async ageInDays(userId: bigint): Promise<number> {
      const day = today(clock);
      const createdOn = (await findFacts(db, seals, userId))?.createdOn ?? day;
      return daysBetween(createdOn, day);
    },

    async findBySpeaker(speakerId: Buffer) {
      const row = await findPersonRow(db, speakerId);
      return row && isPersonRow(row, seals) ? row : undefined;
    },

    findTexts,

    clear: (userId: bigint, texts: ProfileTexts): Promise<boolean> =>
      transaction(db, async (tx, afterCommit) => {
        const row = await queries.lockUser(tx, userId);
        if (!row) return true;
        if (!isSame(row, texts)) return false;
        if (isSame(row, emptyTexts)) return true;
        // Nobody else takes the name while the decision can be undone.
        if (row.username) await heldNames.holdName(tx, row.username, userId, nameHeldUntil(today(clock)));
        await queries.updateTexts(tx, userId, emptyTexts);
        afterCommit(onNamesChanged);
        return true;
      }),

    async restore(userId: bigint, texts: ProfileTexts): Promise<void> {
      const write = (username: string | null) =>
        transaction(db, async (tx, afterCommit) => {
          const row = await queries.lockUser(tx, userId);
          if (!row) return;
          const isHeld =
            username !== null && (await heldNames.isNameHeldForAnother(tx, username, userId, today(clock)));
          const next = mergeTexts(row, { ...texts, username: isHeld ? null : username });
          if (isSame(row, next)) return;
          await queries.updateTexts(tx, userId, next);
          afterCommit(onNamesChanged);
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
