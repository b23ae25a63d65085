import type { Viewer } from '../../kernel/viewer.ts';
import { addDays, daysBetween, today } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import type { IdentityContext } from '../context.ts';
import { openFacts } from '../facts/account-facts.ts';
import { changeFacts } from '../facts/account-facts.queries.ts';
import { rememberFormer } from '../facts/recovery-facts.ts';
import { lockRecovery, writeRecovery } from '../facts/recovery-facts.queries.ts';
import type { VerifiedNumber } from '../otp/otp.ts';
import { silentSince } from '../profiles/people.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { wayIn } from '../ways-in.ts';
import * as queries from './accounts.queries.ts';
import { assertNumberFree } from './held-numbers.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

/** Which account a number opens, and how a number moves. */

/** After this, the number no longer opens the account. */
const releasedAfterDays = 180;
const idlePeople = rowsOf('identity', 'idle people', (id: bigint) => id, 1000);

/** The entry of a number changed between its look-up and its deletion. */
class EntryMovedError extends Error {}

/** Whether somebody else, or a job, wrote the entry of a number first. */
export const isNumberRace = (error: unknown): boolean =>
  error instanceof EntryMovedError || isUniqueViolation(error, 'phone_index_pkey');

type Holder = Awaited<ReturnType<typeof findHolder>>;

/** The index entry of a number, and the account that it leads to if this service wrote both. */
export async function findHolder(
  { db, clock, seals, phoneIndex }: IdentityContext,
  entries: readonly PhoneIndexEntry[],
) {
  const stored = await queries.findAccountByPhone(db, entries);
  const facts =
    stored && phoneIndex.isSealed(stored) && openFacts(seals, { id: stored.userId, facts: stored.facts });
  return {
    stored,
    holder: facts ? { ...stored, idleDays: daysBetween(facts.lastSeenOn, today(clock)) } : null,
  };
}

/** Takes a number from the account that it no longer opens. Two entries would be two accounts of one number. */
export async function releaseNumber(
  { db, clock, seals }: IdentityContext,
  { stored, holder }: Holder,
  entries: readonly PhoneIndexEntry[],
): Promise<void> {
  if (!stored) return;
  if (await queries.deletePhoneIndex(db, stored)) {
    if (!holder) return;
    await changeFacts(db, seals, holder.userId, { detachedOn: today(clock) });
    await queries.deleteDevicesOf(db, holder.userId);
    return;
  }
  // Another account has it now, or it was rewritten. Otherwise it was deleted.
  if (await queries.findAccountByPhone(db, entries)) throw new EntryMovedError();
}

/** After a correct code with purpose reauth: does the number belong to the account of the session? */
export async function ownsNumber(
  ctx: IdentityContext,
  { userId }: Viewer,
  number: VerifiedNumber,
): Promise<boolean> {
  return (await findUserByNumber(ctx, number)) === userId;
}

/** Null where no account has the number. */
export async function findUserByNumber(
  ctx: IdentityContext,
  { phone }: VerifiedNumber,
): Promise<bigint | null> {
  const { holder } = await findHolder(ctx, await ctx.phoneIndex.lookupCandidates(phone));
  return holder?.userId ?? null;
}

/** Ends all other sessions. Throws where the number is held, or belongs to another account that was used recently. */
export async function replaceNumber(
  ctx: IdentityContext,
  { userId, sessionId }: Viewer,
  number: VerifiedNumber,
): Promise<void> {
  const entries = await ctx.phoneIndex.lookupCandidates(number.phone);
  await inTransaction(ctx, async (ctx, afterCommit) => {
    const { db, clock, seals, phoneIndex } = ctx;
    await endSessionsOf(ctx, afterCommit, userId, sessionId);
    const found = await findHolder(ctx, entries);
    const { holder } = found;
    if (holder?.userId === userId) return;
    // It opens its account: only the number of an account that it no longer opens can move.
    if (holder && wayIn('code', { sms: true }, holder).opens === 'at once')
      throw new AppError('NUMBER_TAKEN');
    await releaseNumber(ctx, found, entries);
    await assertNumberFree(ctx, entries);
    const former = await queries.deletePhoneIndexOf(db, userId);
    await queries.insertPhoneIndex(db, phoneIndex.seal(entries[0], userId));
    await queries.lockUsers(db, [userId]);
    const recovery = await lockRecovery(db, seals, userId);
    if (recovery && former && phoneIndex.isSealed(former))
      await writeRecovery(db, seals, userId, rememberFormer(recovery, former.idx, today(clock)));
    // With a number again, it is not deleted with those that lost theirs.
    await changeFacts(db, seals, userId, { numberChangedOn: today(clock), detachedOn: null });
  }).catch((error: unknown) => {
    // Race: another account took the number first.
    throw isNumberRace(error) ? new AppError('NUMBER_TAKEN') : error;
  });
}

/** In a transaction: gives the number of one account to another. The first account then has none. */
export async function transferNumber(
  { db, phoneIndex }: IdentityContext,
  fromUserId: bigint,
  toUserId: bigint,
): Promise<void> {
  const entry = await queries.deletePhoneIndexOf(db, fromUserId);
  if (!entry || !phoneIndex.isSealed(entry)) throw new AppError('UNAUTHENTICATED');
  await queries.deletePhoneIndexOf(db, toUserId);
  await queries.insertPhoneIndex(db, phoneIndex.seal(entry, toUserId));
}

/** The entry of an account in the index of numbers. */
export async function findNumber({ db, phoneIndex }: IdentityContext, userId: bigint): Promise<Buffer> {
  const entry = await queries.findPhoneIndexOf(db, userId);
  if (!entry || !phoneIndex.isSealed(entry)) throw new AppError('UNAUTHENTICATED');
  return entry.idx;
}

export async function releaseIdleNumbers(ctx: IdentityContext, rows: JobRows): Promise<void> {
  const lastSeenBy = addDays(today(ctx.clock), -releasedAfterDays);
  for await (const users of silentSince(ctx, lastSeenBy))
    await rows.eachBatch(
      users.map(({ id }) => id),
      idlePeople,
      (batch) => queries.deletePhoneIndexesOf(ctx.db, batch),
    );
}
