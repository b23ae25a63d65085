import { limits, type AccountEvent, type FirstVisit } from '@unsaid/contract';
import { isPersonRow, type SealedPersonRow } from '../../kernel/person-keys.ts';
import type { PrivacySubject } from '../../kernel/privacy-registry.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { addDays, dayOf, daysBetween, hourMs, today, type Day } from '../../platform/clock.ts';
import { inTransaction, type AfterCommit } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { rejectionError } from '../../platform/limiter.ts';
import * as queries from '../accounts/accounts.queries.ts';
import { holdNumber, numberReleaseDay } from '../accounts/held-numbers.ts';
import { findNumber, replaceNumber, transferNumber } from '../accounts/numbers.ts';
import type { IdentityContext } from '../context.ts';
import { openFacts } from '../facts/account-facts.ts';
import { changeFacts, findFacts, requireFacts } from '../facts/account-facts.queries.ts';
import {
  isFormerNumber,
  replaceCode,
  replacedLately,
  runningWait,
  type Recovery,
  type Wait,
} from '../facts/recovery-facts.ts';
import * as codes from '../facts/recovery-facts.queries.ts';
import type { VerifiedNumber } from '../otp/otp.ts';
import { silentSince } from '../profiles/people.ts';
import { isReauthenticated, isSigningUp } from '../sessions/session-flags.ts';
import { countOpenSessions, endSessionsOf } from '../sessions/sessions.ts';
import { wayIn } from '../ways-in.ts';
import { openOffer, randomRecoveryCode, readRecoveryCode, sealOffer } from './recovery-code.ts';

/** Account recovery by a code on paper, and change of number. */

/** After so many days without a visit, an account is erased. */
const purgedAfterDays = 365;

const noCodes: Recovery = { code: null, replaced: null, wait: null, former: null };

const findCodes = async ({ db, seals }: IdentityContext, userId: bigint) =>
  (await codes.findRecovery(db, seals, userId)) ?? noCodes;

/** The day the code was confirmed, and the day on which one was replaced or cancelled; null without one. */
export async function describeRecovery(ctx: IdentityContext, userId: bigint) {
  const recovery = await findCodes(ctx, userId);
  const replaced = replacedLately(recovery, today(ctx.clock));
  return { madeOn: recovery.code?.madeOn ?? null, replacedOn: replaced?.replacedOn ?? null };
}

/** A new code that is not valid yet, and the proof that makes it valid. Stores nothing. */
export async function offerCode(ctx: IdentityContext, viewer: Viewer) {
  await consumeBudget(ctx, viewer);
  const { code: valid } = await findCodes(ctx, viewer.userId);
  // Reauth, because a recovery code made in an unattended session would be lasting access. Sign-up is exempt: it
  // has just verified a code.
  const isFirst = valid === null && (await isSigningUp(ctx, viewer));
  if (!isFirst && !(await isReauthenticated(ctx, viewer))) throw new AppError('REAUTH_REQUIRED');
  const code = randomRecoveryCode();
  const codeKey = keyOfCode(ctx, code);
  if (!codeKey) throw new Error('generated recovery code failed its own check');
  const expiresAt = ctx.clock.now() + limits.recoveryConfirmMinutes * 60_000;
  const offer = { codeKey, replaces: valid?.key ?? null, expiresAt };
  return { code, proof: sealOffer(ctx.keys, offer, viewer) };
}

/** Makes an offered code valid in place of the one it replaces. Confirming it again has no effect. */
export async function confirmCode(ctx: IdentityContext, viewer: Viewer, proof: string): Promise<Day> {
  const { clock } = ctx;
  const offer = openOffer(ctx.keys, proof, viewer);
  if (!offer) throw new AppError('REAUTH_REQUIRED');
  const { codeKey, replaces } = offer;
  let madeOn = today(clock);
  await changeCodes(ctx, viewer.userId, (recovery) => {
    const { code } = recovery;
    if (code?.key.equals(codeKey)) {
      // The same request, sent again because its response was lost.
      madeOn = code.madeOn;
      return recovery;
    }
    const isInTime = clock.now() < offer.expiresAt;
    const isCurrent = code === null ? replaces === null : replaces?.equals(code.key);
    if (!isInTime || !isCurrent) throw new AppError('REAUTH_REQUIRED');
    return replaceCode(recovery, { key: codeKey, madeOn }, clock.now());
  });
  return madeOn;
}

/**
 * Cancels the valid code, and so stops a recovery that waits with it. The code still works with the former number, if that
 * was changed in the last days.
 */
export async function cancelCodes(ctx: IdentityContext, viewer: Viewer): Promise<void> {
  if (!(await isReauthenticated(ctx, viewer))) throw new AppError('REAUTH_REQUIRED');
  await changeCodes(ctx, viewer.userId, (recovery) => {
    const wait = runningWait(recovery, ctx.clock.now());
    if (wait?.isFinal) throw new AppError('NUMBER_TOO_NEW');
    return replaceCode(recovery, null, ctx.clock.now());
  });
}

/** Changes the codes of an account, one caller after the other: a first code has no row that could be locked. */
async function changeCodes(
  ctx: IdentityContext,
  userId: bigint,
  change: (recovery: Recovery) => Recovery,
): Promise<void> {
  await inTransaction(ctx, async ({ db, seals }) => {
    await queries.lockUsers(db, [userId]);
    const recovery = (await codes.lockRecovery(db, seals, userId)) ?? noCodes;
    await codes.writeRecovery(db, seals, userId, change(recovery));
  });
}

/** Throws without a second proof of identity: a recent reauth, or the recovery code. */
export async function requireReauth(
  ctx: IdentityContext,
  viewer: Viewer,
  recoveryCode: string | undefined,
): Promise<void> {
  const sms = recoveryCode === undefined && (await isReauthenticated(ctx, viewer));
  let paper = false;
  if (recoveryCode !== undefined) {
    await consumeBudget(ctx, viewer);
    const key = keyOfCode(ctx, recoveryCode);
    // Not one that was replaced: its owner may have cancelled it because somebody else has it.
    paper = key !== null && (await findCodes(ctx, viewer.userId)).code?.key.equals(key) === true;
  }
  if (wayIn('changedNumber', { session: true, sms, paper }).opens === 'no')
    throw new AppError(recoveryCode === undefined ? 'REAUTH_REQUIRED' : 'RECOVERY_INVALID');
}

export async function changeNumber(
  ctx: IdentityContext,
  viewer: Viewer,
  number: VerifiedNumber,
): Promise<void> {
  await refuseExcluded(ctx, viewer);
  await replaceNumber(ctx, viewer, number);
}

/**
 * Moves the viewer's number to the account of the code, and returns that account. The viewer's current one is then due
 * for erasure. The first call throws RECOVERY_WAITS, and the same call works after the wait, unless the owner stopped it.
 */
export async function moveNumber(ctx: IdentityContext, viewer: Viewer, code: string): Promise<bigint> {
  await consumeBudget(ctx, viewer);
  await refuseExcluded(ctx, viewer);
  const key = keyOfCode(ctx, code);
  if (!key) throw new AppError('RECOVERY_INVALID');
  const asked = { key, heldUntil: await holdUntil(ctx, key) };
  const result = await inTransaction(ctx, (ctx, afterCommit) => moveOrWait(ctx, afterCommit, viewer, asked));
  if (typeof result === 'bigint') return result;
  throw new AppError('RECOVERY_WAITS', { opensAt: new Date(result.opensAt).toISOString() });
}

async function moveOrWait(
  ctx: IdentityContext,
  afterCommit: AfterCommit,
  viewer: Viewer,
  { key, heldUntil }: { readonly key: Buffer; readonly heldUntil: Day | null },
): Promise<bigint | Wait> {
  const { db, clock, seals } = ctx;
  const ownerId = (await codes.findOwnerOfCode(db, key)) ?? -1n;
  await queries.lockUsers(db, [viewer.userId, ownerId]);
  const old = (await codes.lockRecovery(db, seals, ownerId)) ?? noCodes;
  const now = clock.now();
  const before = runningWait(old, now);
  const isWaiting = before?.askerId === viewer.userId;
  // Only a recent account may be erased in favour of the recovered one. Whether the code works is not told before that.
  const { createdOn } = await requireFacts(db, seals, viewer.userId);
  if (!isWaiting && createdOn < recoverableSince(ctx)) throw new AppError('NUMBER_TAKEN');
  const code = findCode(old, key, today(clock), isWaiting && before.isByReplaced);
  if (!code || ownerId === viewer.userId) throw new AppError('RECOVERY_INVALID');
  // A wait that the number cannot stop, nobody else can either, not with a newer code.
  if (before?.isFinal && !isWaiting) throw new AppError('RECOVERY_INVALID');
  const number = await findNumber(ctx, viewer.userId);
  const isOfFormerNumber = isWaiting ? before.isFinal : isFormerNumber(old, number, today(clock));
  const account = { isPaperReplaced: code.isReplaced, isNumberChanged: isOfFormerNumber };
  const { opens, stoppedBy } = wayIn('recoveryCode', { paper: true, formerSms: isOfFormerNumber }, account);
  if (opens === 'no') throw new AppError('RECOVERY_INVALID');
  if (!(isWaiting && now >= before.opensAt)) {
    if (isWaiting) return before;
    const wait = {
      askerId: viewer.userId,
      opensAt: Math.ceil((now + limits.recoveryWaitHours * hourMs) / hourMs) * hourMs,
      isByReplaced: code.isReplaced,
      isFinal: stoppedBy === 'nothing',
    };
    // The one write to a row of another person, who has proven a code of it (docs/adr/0007).
    await codes.writeRecovery(db, seals, ownerId, { ...old, wait });
    return wait;
  }
  await codes.writeRecovery(db, seals, ownerId, noCodes);
  if (heldUntil) await holdNumber(ctx, ownerId, heldUntil);
  await transferNumber(ctx, viewer.userId, ownerId);
  await endSessionsOf(ctx, afterCommit, ownerId);
  const day = today(clock);
  await changeFacts(db, seals, ownerId, { detachedOn: null, recoveredOn: day, numberChangedOn: null });
  // If the process ends before the erasure, the nightly purge finds this day and completes it.
  await changeFacts(db, seals, viewer.userId, { detachedOn: recoverableSince(ctx) });
  return ownerId;
}

/** The code that a key is of, also one that was replaced or cancelled lately, or that is waited with. */
function findCode(recovery: Recovery, key: Buffer, today: Day, isAwaited: boolean) {
  if (recovery.code?.key.equals(key)) return { isReplaced: false };
  const replaced = isAwaited ? recovery.replaced : replacedLately(recovery, today);
  return replaced?.key.equals(key) ? { isReplaced: true } : null;
}

/**
 * Until when the number that a code takes away is held: that of a suspended person must not open a new account at once.
 * Read before the transaction, from another schema.
 */
async function holdUntil(ctx: IdentityContext, key: Buffer): Promise<Day | null> {
  const { db, seals, persons } = ctx;
  const row = await queries.findPersonRow(db, (await codes.findOwnerOfCode(db, key)) ?? -1n);
  return row && isPersonRow(row, seals) ? numberReleaseDay(ctx, persons(row)) : null;
}

async function consumeBudget({ limiter }: IdentityContext, viewer: Viewer): Promise<void> {
  const rejection = await limiter.consumeBuckets([
    { budget: 'recoveries', subject: viewer.rateLimitKey('recoveries') },
  ]);
  if (rejection) throw rejectionError('RATE_LIMITED', rejection);
}

/**
 * The suspended cannot call at all. A suspension that has yet to start is on a notice already: the number could be
 * moved away before, and open a new account at once.
 */
async function refuseExcluded({ ports }: IdentityContext, { person }: Viewer): Promise<void> {
  if (await ports.standing.findExclusion(person)) throw new AppError('ACCOUNT_SUSPENDED');
}

/** Null for input that is no code. */
function keyOfCode({ seals }: IdentityContext, typed: string): Buffer | null {
  const code = readRecoveryCode(typed);
  return code === null ? null : seals.lookupKey('recovery', code);
}

const recoverableSince = ({ clock }: IdentityContext) => addDays(today(clock), -limits.recoverableDays);

/** What happened to the account itself in the last 30 days. */
export async function listEvents(ctx: IdentityContext, userId: bigint) {
  const { db, clock, seals } = ctx;
  const [facts, recovery] = await Promise.all([findFacts(db, seals, userId), findCodes(ctx, userId)]);
  const { code, replaced } = recovery;
  const wait = runningWait(recovery, clock.now());
  const asked = wait && addDays(dayOf(wait.opensAt), -limits.recoveryWaitHours / 24);
  const events: [AccountEvent, Day | null | undefined][] = [
    ['recovery_asked', asked],
    [replaced ? 'code_replaced' : 'code_made', code?.madeOn],
    ['code_cancelled', code ? null : replaced?.replacedOn],
    ['recovered', facts?.recoveredOn],
    ['number_changed', facts?.numberChangedOn],
  ];
  const isLately = (day: Day) => daysBetween(day, today(clock)) <= limits.accountEventDays;
  return events.flatMap(([event, day]) => (day && isLately(day) ? [{ event, day }] : []));
}

/** What a person on a new device is asked about an account that somebody else may use. Null if there is no sign of it. */
export async function findFirstVisit(ctx: IdentityContext, userId: bigint): Promise<FirstVisit | null> {
  const [facts, recovery, sessions] = await Promise.all([
    requireFacts(ctx.db, ctx.seals, userId),
    findCodes(ctx, userId),
    countOpenSessions(ctx, userId),
  ]);
  const hasCode = recovery.code !== null;
  // The one that was just opened is not another.
  const otherSessions = sessions - 1;
  return hasCode || otherSessions > 0 ? { since: facts.createdOn.slice(0, 7), hasCode, otherSessions } : null;
}

/** Accounts whose time is over: without a number for too long, or not seen for too long. */
export async function* listForgotten(ctx: IdentityContext): AsyncIterable<PrivacySubject[]> {
  const detached = (await queries.listDetached(ctx.db)).filter((row) => {
    const day = openFacts(ctx.seals, row)?.detachedOn ?? null;
    return day !== null && day <= recoverableSince(ctx);
  });
  yield await forgottenAmong(ctx, detached);
  const lastSeenBy = addDays(today(ctx.clock), -purgedAfterDays);
  for await (const users of silentSince(ctx, lastSeenBy)) yield await forgottenAmong(ctx, users);
}

async function forgottenAmong(
  ctx: IdentityContext,
  rows: readonly SealedPersonRow[],
): Promise<PrivacySubject[]> {
  const found: PrivacySubject[] = [];
  for (const row of rows) {
    // Somebody has a code of it, and waits.
    const isWaitedFor = runningWait(await findCodes(ctx, row.id), ctx.clock.now()) !== null;
    // With a copied seed in a row, the words of another person would be removed.
    if (isPersonRow(row, ctx.seals) && !isWaitedFor) found.push({ userId: row.id, person: ctx.persons(row) });
  }
  return found;
}
