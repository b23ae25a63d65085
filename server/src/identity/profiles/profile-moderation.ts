import { isPersonRow, type SealedPersonRow } from '../../kernel/person-keys.ts';
import { mergeTexts, type ProfileTexts } from '../../kernel/profile-texts.ts';
import { filled, type ItemCopy, type SubjectOf } from '../../kernel/subjects.ts';
import { daysBetween, today } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import type { IdentityContext } from '../context.ts';
import { findFacts } from '../facts/account-facts.queries.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';

/** What moderation reads of an account, and what a decision does to a profile: its texts are emptied, or put back. */

type ProfileSubject = SubjectOf<'profile'>;

const emptyTexts: ProfileTexts = { username: null, bio: '', interests: [], likes: [], dislikes: [] };
/** Without the other fields of a row. */
function textsOf({ username, bio, interests, likes, dislikes }: ProfileTexts): ProfileTexts {
  return { username, bio, interests, likes, dislikes };
}
const isSame = (a: ProfileTexts, b: ProfileTexts) =>
  JSON.stringify(textsOf(a)) === JSON.stringify(textsOf(b));

export async function readReportedProfile(
  { db }: IdentityContext,
  { userId }: ProfileSubject,
): Promise<ItemCopy> {
  const profile = await queries.findWords(db, userId);
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
}

export async function listExistingProfiles(
  ctx: IdentityContext,
  subjects: readonly ProfileSubject[],
): Promise<readonly ProfileSubject[]> {
  const existing: ProfileSubject[] = [];
  for (const subject of subjects) if (await findTexts(ctx, subject.userId)) existing.push(subject);
  return existing;
}

export async function accountAgeInDays({ db, clock, seals }: IdentityContext, userId: bigint) {
  const day = today(clock);
  const createdOn = (await findFacts(db, seals, userId))?.createdOn ?? day;
  return daysBetween(createdOn, day);
}

export async function findPersonBySpeaker(
  { db, seals }: IdentityContext,
  speakerId: Buffer,
): Promise<SealedPersonRow | undefined> {
  const row = await queries.findPersonRowOfSpeaker(db, speakerId);
  return row && isPersonRow(row, seals) ? row : undefined;
}

export async function findTexts({ db }: IdentityContext, userId: bigint): Promise<ProfileTexts | null> {
  const row = await queries.findUser(db, userId);
  return row ? textsOf(row) : null;
}

/** False where the person has changed them meanwhile. */
export async function clearTexts(
  ctx: IdentityContext,
  userId: bigint,
  texts: ProfileTexts,
): Promise<boolean> {
  return inTransaction(ctx, async ({ db, clock, ports }, afterCommit) => {
    const row = await queries.lockUser(db, userId);
    if (!row) return true;
    if (!isSame(row, texts)) return false;
    if (isSame(row, emptyTexts)) return true;
    // Nobody else takes the name while the decision can be undone.
    if (row.username) await heldNames.holdName(db, row.username, userId, today(clock));
    await queries.updateTexts(db, userId, emptyTexts);
    afterCommit(ports.onNamesChanged);
    return true;
  });
}

export async function restoreTexts(ctx: IdentityContext, userId: bigint, texts: ProfileTexts): Promise<void> {
  const write = (username: string | null) =>
    inTransaction(ctx, async ({ db, clock, ports }, afterCommit) => {
      const row = await queries.lockUser(db, userId);
      if (!row) return;
      const isHeld =
        username !== null && (await heldNames.isNameHeldForAnother(db, username, userId, today(clock)));
      const next = mergeTexts(row, { ...texts, username: isHeld ? null : username });
      if (isSame(row, next)) return;
      await queries.updateTexts(db, userId, next);
      afterCommit(ports.onNamesChanged);
    });
  try {
    await write(texts.username);
  } catch (error) {
    // Somebody has the name by now.
    if (!isUniqueViolation(error, 'users_username')) throw error;
    await write(null);
  }
}
