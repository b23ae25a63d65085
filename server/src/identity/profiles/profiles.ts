import { randomBytes } from 'node:crypto';
import {
  canNameTeam,
  isAcceptableUsername,
  type ParsedRequestOf,
  type PublicUser,
  type SelfUser,
  type updateDetails as updateDetailsCall,
} from '@unsaid/contract';
import { toFeelingBits } from '../../kernel/feelings.ts';
import { drawPersonRow, isPersonRow } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { today, type Day } from '../../platform/clock.ts';
import { halfMonthOf } from '../../platform/coarse-days.ts';
import { inTransaction } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { JobRows } from '../../platform/job.ts';
import { rejectionError } from '../../platform/limiter.ts';
import type { IdentityContext } from '../context.ts';
import { factColumns, newAccount, openFacts, type AccountFacts } from '../facts/account-facts.ts';
import { changeFacts, findFacts, requireFacts } from '../facts/account-facts.queries.ts';
import { runningWait } from '../facts/recovery-facts.ts';
import { findRecovery } from '../facts/recovery-facts.queries.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';
import { publicView, selfView } from './profiles.view.ts';

type DetailsInput = ParsedRequestOf<typeof updateDetailsCall>['body'];

/** Inserts an empty profile, in the transaction of a sign-up. */
export async function createBlankProfile({ db, clock, seals }: IdentityContext): Promise<bigint> {
  const row = drawPersonRow(seals);
  const facts = factColumns(seals, row.id, newAccount(today(clock)));
  await queries.insertUser(db, { ...row, ...facts, avatarSeed: randomAvatarSeed() });
  return row.id;
}

/** Updates the last-seen day at a sign-in, which writes other rows at that moment anyway. Visits are flushed nightly. */
export async function markAccountSeen(ctx: IdentityContext, userId: bigint): Promise<void> {
  const lastSeenOn = today(ctx.clock);
  const facts = await findFacts(ctx.db, ctx.seals, userId);
  if (facts && facts.lastSeenOn < lastSeenOn)
    await inTransaction(ctx, ({ db, seals }) => changeFacts(db, seals, userId, { lastSeenOn }));
}

export const findAgreement = async ({ db, seals }: IdentityContext, userId: bigint) =>
  (await requireFacts(db, seals, userId)).agreement;

/** Agreeing again to a version of the privacy notice keeps the first day. */
export async function recordAgreement(ctx: IdentityContext, userId: bigint, version: number): Promise<void> {
  if ((await findAgreement(ctx, userId)).version >= version) return;
  const agreement = { version, agreedOn: today(ctx.clock) };
  await inTransaction(ctx, ({ db, seals }) => changeFacts(db, seals, userId, { agreement }));
}

export async function findSelf(ctx: IdentityContext, userId: bigint): Promise<SelfUser> {
  return toSelf(ctx, await queries.findUser(ctx.db, userId));
}

async function toSelf(ctx: IdentityContext, row: queries.UserRow | undefined): Promise<SelfUser> {
  const { db, clock, seals, persons, ports, publicIds } = ctx;
  // Race: the account was deleted after the session check.
  const facts = row && isPersonRow(row, seals) && openFacts(seals, row);
  if (!facts) throw new AppError('UNAUTHENTICATED');
  const [standing, recovery] = await Promise.all([
    ports.standing.find(persons(row), { skipCache: false }),
    findRecovery(db, seals, row.id),
  ]);
  const wait = recovery && runningWait(recovery, clock.now());
  return selfView(row, { standing, today: today(clock), facts, wait }, publicIds);
}

/** The profile under the requested id: the viewer's own, or that of a peer whom the caller has resolved. */
export async function findProfile(
  ctx: IdentityContext,
  viewer: Viewer,
  shownId: string,
  peerId: bigint | null,
): Promise<SelfUser | PublicUser> {
  if (ctx.publicIds.user.decode(shownId) === viewer.userId) return findSelf(ctx, viewer.userId);
  // Same statement without a peer, so that timing does not reveal a forged id.
  const row = await queries.findUser(ctx.db, peerId ?? -1n);
  if (!row) throw new AppError('NOT_FOUND');
  return publicView(row, shownId);
}

export async function changeUsername(
  ctx: IdentityContext,
  viewer: Viewer,
  newUsername: string,
): Promise<SelfUser> {
  if (!isAcceptableUsername(newUsername)) throw new AppError('USERNAME_INVALID');
  // An underscore separates what the guard reads as digits: 98765_43210.
  refuseIdentity(ctx.metrics, { newUsername }, true);
  const current = await queries.findUser(ctx.db, viewer.userId);
  if (current?.username === newUsername) return toSelf(ctx, current);
  // Consumed here and not in the endpoint's rate: submitting the current name again is free.
  const rejection = await ctx.limiter.consumeBuckets([
    { budget: 'username', subject: viewer.rateLimitKey('username') },
  ]);
  if (rejection) throw rejectionError('RATE_LIMITED', rejection);
  return toSelf(ctx, await rename(ctx, viewer.userId, newUsername));
}

/** For a command of operators: a name that nobody can choose, and that marks answers of the team. */
export async function setTeamName(ctx: IdentityContext, userId: bigint, name: string): Promise<void> {
  if (!canNameTeam(name)) throw new AppError('USERNAME_INVALID');
  await rename(ctx, userId, name);
}

async function rename(ctx: IdentityContext, userId: bigint, newUsername: string) {
  try {
    const row = await inTransaction(ctx, async ({ db, clock }) => {
      const before = await queries.lockUser(db, userId);
      const day = today(clock);
      if (await heldNames.isNameHeldForAnother(db, newUsername, userId, day))
        throw new AppError('USERNAME_TAKEN');
      if (before?.username && before.username.toLowerCase() !== newUsername.toLowerCase())
        await heldNames.holdName(db, before.username, userId, day);
      return queries.updateUser(db, userId, { username: newUsername });
    });
    await ctx.ports.onNamesChanged();
    return row;
  } catch (error) {
    if (isUniqueViolation(error, 'users_username')) throw new AppError('USERNAME_TAKEN');
    throw error;
  }
}

export async function updateDetails(ctx: IdentityContext, viewer: Viewer, input: DetailsInput) {
  const { bio, interests, likes, dislikes, isSure } = input;
  refuseIdentity(ctx.metrics, { bio, interests, likes, dislikes }, isSure);
  const { before, row } = await inTransaction(ctx, async ({ db, clock, seals }) => {
    const before = await queries.lockUser(db, viewer.userId);
    const facts = before && openFacts(seals, before);
    if (!facts) throw new AppError('UNAUTHENTICATED');
    const change = {
      ...toChange(input),
      profileCompleted: true,
      ...factColumns(seals, viewer.userId, { ...facts, ...toFacts(input, today(clock)) }),
    };
    return { before, row: await queries.updateUser(db, viewer.userId, change) };
  });
  if (input.allowComments === false) await ctx.ports.onCommentsClosed(viewer.person);
  return { user: await toSelf(ctx, row), isFirst: !before.profileCompleted };
}

export async function regenerateAvatar(ctx: IdentityContext, viewer: Viewer): Promise<SelfUser> {
  const row = await queries.updateUser(ctx.db, viewer.userId, { avatarSeed: randomAvatarSeed() });
  await ctx.ports.onNamesChanged();
  return toSelf(ctx, row);
}

/** Nightly: deletes held names that have expired, and names of departed people whose comments are removed. */
export async function releaseNames(ctx: IdentityContext, rows: JobRows): Promise<void> {
  await inTransaction(ctx, async ({ db, clock, ports }, afterCommit) => {
    const day = today(clock);
    await heldNames.deleteReleasedNames(db, day);
    // One transaction: a name that is still shown must not be free for others.
    if (await heldNames.deleteDeparted(db, day)) afterCommit(ports.onNamesChanged);
  });
  await heldNames.rewriteDeparted(ctx.db, rows);
}

function randomAvatarSeed(): string {
  return randomBytes(9).toString('base64url');
}

/** Only fields that were sent change. The sign-up form sends its preference as a bare string. */
function toChange(input: DetailsInput): queries.ProfileChange {
  const { bio, interests, likes, dislikes, feelings, preferences } = input;
  const wanted = typeof preferences === 'string' ? { matchPreference: preferences } : (preferences ?? {});
  return {
    bio,
    interests,
    likes,
    dislikes,
    feelings: feelings && toFeelingBits(feelings),
    matchPreference: wanted.matchPreference === undefined ? undefined : wanted.matchPreference || null,
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
