import type { SelfUser } from '@unsaid/contract';
import { addDays, today } from '../../platform/clock.ts';
import { nextMonth } from '../../platform/coarse-days.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { rejectionError } from '../../platform/limiter.ts';
import type { IdentityContext } from '../context.ts';
import type { VerifiedNumber } from '../otp/otp.ts';
import { createBlankProfile, findSelf, markAccountSeen } from '../profiles/profiles.ts';
import { startSession } from '../sessions/sessions.ts';
import { rememberedDays } from '../sign-in-cookies.ts';
import { wayIn } from '../ways-in.ts';
import * as queries from './accounts.queries.ts';
import { deviceKey, handOverNumber, newDevice, rememberNumber, type Device } from './devices.ts';
import { assertNumberFree } from './held-numbers.ts';
import { findHolder, isNumberRace, releaseNumber } from './numbers.ts';

/** The browser of a sign-in. */
export interface Browser {
  readonly device: Device | null;
  readonly userAgent: string;
}

interface SignInRequest extends Browser {
  readonly number: VerifiedNumber;
  readonly addressKey: string;
  readonly networkKey: string;
}

export interface SignedIn {
  readonly token: string;
  readonly user: SelfUser;
  readonly device: Device;
}

/** The account that a number opened. */
interface Found {
  readonly userId: bigint;
  readonly isNewUser: boolean;
  /** This browser has signed in to this account before. */
  readonly isDeviceKnown: boolean;
}

export interface NewlySignedIn extends SignedIn, Found {}

/** After a correct code: the account of the number, or a new one. No call reveals beforehand which it will be. */
export async function signIn(ctx: IdentityContext, request: SignInRequest): Promise<NewlySignedIn> {
  return openRemembered(ctx, request, await findOrCreate(ctx, request));
}

/** The same, but null instead of a new account. */
export async function signInIfKnown(
  ctx: IdentityContext,
  request: SignInRequest,
): Promise<NewlySignedIn | null> {
  const { userId, isDeviceKnown } = await find(ctx, request);
  if (userId === null) assertSignUpOpen(ctx);
  return userId === null ? null : openRemembered(ctx, request, { userId, isNewUser: false, isDeviceKnown });
}

/** Opens a session for an account that has just received the number of another one. */
export function signInAfterTransfer(
  ctx: IdentityContext,
  formerUserId: bigint,
  userId: bigint,
  { device, userAgent }: Browser,
): Promise<SignedIn> {
  const handedOver = handOverNumber(ctx.keys.of('device/1'), device ?? newDevice(), formerUserId, userId);
  return open(ctx, userId, handedOver, userAgent);
}

/** The account that a number opens on this device, with what was found of the number. */
async function find(ctx: IdentityContext, { number, device }: SignInRequest) {
  const { db, phoneIndex } = ctx;
  const entries = await phoneIndex.lookupCandidates(number.phone);
  const [newest] = entries;
  const found = await findHolder(ctx, entries);
  const { holder } = found;
  if (holder) {
    const isDeviceKnown =
      device !== null && (await queries.hasDevice(db, keyOfDevice(ctx, device, holder.userId)));
    if (wayIn('code', { sms: true, device: isDeviceKnown }, holder).opens === 'at once') {
      if (!holder.idx.equals(newest.idx))
        await queries.rewritePhoneIndex(db, holder, phoneIndex.seal(newest, holder.userId));
      return { ...found, entries, userId: holder.userId, isDeviceKnown };
    }
  }
  return { ...found, entries, userId: null, isDeviceKnown: false };
}

async function findOrCreate(ctx: IdentityContext, request: SignInRequest): Promise<Found> {
  const { addressKey, networkKey } = request;
  const { entries, stored, holder, userId: known, isDeviceKnown } = await find(ctx, request);
  if (known !== null) return { userId: known, isNewUser: false, isDeviceKnown };
  assertSignUpOpen(ctx);
  const [newest] = entries;
  // Proof of work for this budget is required with the next code. Requiring it here would waste a correct code.
  const { rejection } = await ctx.codeLimiter.consume(
    [
      { budget: 'newAccountsPerAddress', subject: addressKey },
      { budget: 'newAccountsPerNetwork', subject: networkKey },
    ],
    { powGiven: 'any' },
  );
  if (rejection) throw rejectionError('OTP_RATE_LIMITED', rejection);
  try {
    const userId = await inTransaction(ctx, async (ctx) => {
      await releaseNumber(ctx, { stored, holder }, entries);
      // After the deletion, which waits for an account that is being deleted.
      await assertNumberFree(ctx, entries);
      const id = await createBlankProfile(ctx);
      await queries.insertPhoneIndex(ctx.db, ctx.phoneIndex.seal(newest, id));
      return id;
    });
    return { userId, isNewUser: true, isDeviceKnown: false };
  } catch (error) {
    // Race: another correct code for the same number created the account first, or a job has rewritten the entry.
    if (!isNumberRace(error)) throw error;
    const again = await find(ctx, request);
    if (again.userId === null) throw new AppError('TEMPORARILY_UNAVAILABLE');
    return { userId: again.userId, isNewUser: false, isDeviceKnown: again.isDeviceKnown };
  }
}

/** Only after a correct code: before it, nothing may tell whether a number has an account. */
function assertSignUpOpen({ ports }: IdentityContext): void {
  if (!ports.isSignUpOpen()) throw new AppError('SIGN_UP_CLOSED');
}

async function openRemembered(
  ctx: IdentityContext,
  { device, number, userAgent }: SignInRequest,
  found: Found,
): Promise<NewlySignedIn> {
  const { userId, isNewUser } = found;
  const key = ctx.keys.of('device/1');
  const remembered = rememberNumber(key, device ?? newDevice(), userId, number.phone);
  return { ...(await open(ctx, userId, remembered, userAgent, { isSignUp: isNewUser })), ...found };
}

async function open(
  ctx: IdentityContext,
  userId: bigint,
  device: Device,
  userAgent: string,
  options?: { readonly isSignUp: boolean },
): Promise<SignedIn> {
  const forgetOn = nextMonth(addDays(today(ctx.clock), rememberedDays));
  await queries.upsertDevice(ctx.db, keyOfDevice(ctx, device, userId), userId, forgetOn);
  await markAccountSeen(ctx, userId);
  const token = await startSession(ctx, userId, userAgent, options);
  return { token, user: await findSelf(ctx, userId), device };
}

const keyOfDevice = ({ keys }: IdentityContext, device: Device, userId: bigint) =>
  deviceKey(keys.of('device/1'), device.id, userId);

export async function forgetOldDevices({ db, clock }: IdentityContext): Promise<void> {
  await queries.deleteForgottenDevices(db, today(clock));
}
