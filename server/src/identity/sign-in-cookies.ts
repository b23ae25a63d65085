import type { OtpPurpose } from '@unsaid/contract';
import type { Caller } from '../platform/http/bind.ts';
import { cookieName } from '../platform/http/cookies.ts';
import { deviceCookie, forgetAccount, readDevice, rememberNumber, type Device } from './accounts/devices.ts';
import type { IdentityContext } from './context.ts';

/** The cookies of sign-in: the challenge id of a requested code, and the known device. */

const challengePattern = /^[A-Za-z0-9_-]{32}$/u;
const challengeSeconds = 600;
/** Lifetime of the cookie and of the device's row. */
export const rememberedDays = 180;

const isSecure = ({ settings }: IdentityContext) => settings.publicOrigin.protocol === 'https:';

function set(
  ctx: IdentityContext,
  caller: Caller,
  name: 'otp' | 'dev',
  value: string,
  seconds: number,
): void {
  const options = { maxAgeSeconds: seconds, isSecure: isSecure(ctx) };
  caller.setCookie(cookieName(name, isSecure(ctx)), value, options);
}

export function challengeIdOf(ctx: IdentityContext, caller: Caller): string | null {
  const id = caller.cookie(cookieName('otp', isSecure(ctx)));
  return id !== null && challengePattern.test(id) ? id : null;
}

export const setChallengeId = (ctx: IdentityContext, caller: Caller, id: string): void =>
  set(ctx, caller, 'otp', id, challengeSeconds);

/** The code was used; the next request creates a new challenge. */
export const dropChallengeId = (ctx: IdentityContext, caller: Caller): void => set(ctx, caller, 'otp', '', 0);

export const deviceOf = (ctx: IdentityContext, caller: Caller): Device | null =>
  readDevice(caller.cookie(cookieName('dev', isSecure(ctx))));

export const setDevice = (ctx: IdentityContext, caller: Caller, device: Device): void =>
  set(ctx, caller, 'dev', deviceCookie(device), rememberedDays * 86_400);

/** Replaces the number of an account on this device. */
export function rememberNumberOn(ctx: IdentityContext, caller: Caller, userId: bigint, phone: string): void {
  const known = deviceOf(ctx, caller);
  if (known) setDevice(ctx, caller, rememberNumber(ctx.keys.of('device/1'), known, userId, phone));
}

/** Removes every trace of an account's number from this browser. Entries of other accounts stay. */
export function forgetAccountOn(ctx: IdentityContext, caller: Caller, userId: bigint): void {
  dropChallengeId(ctx, caller);
  const known = deviceOf(ctx, caller);
  if (known) setDevice(ctx, caller, forgetAccount(ctx.keys.of('device/1'), known, userId));
}

/** What every call about a code needs: from the body, the challenge cookie and the caller's address. */
export function codeRequest<Body extends { readonly phone: string }>(
  ctx: IdentityContext,
  caller: Caller,
  body: Body,
  purpose: OtpPurpose,
) {
  const { addressKey, networkKey } = caller;
  return { ...body, purpose, challengeId: challengeIdOf(ctx, caller), addressKey, networkKey };
}
