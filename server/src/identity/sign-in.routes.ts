import {
  join,
  limits,
  listCountries,
  listSessions,
  logout,
  reauthenticate,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
  verifyOtp,
} from '@unsaid/contract';
import { getCountries } from 'libphonenumber-js/max';
import { bind } from '../kernel/viewer.ts';
import { AppError } from '../platform/errors.ts';
import type { Binding, Caller } from '../platform/http/bind.ts';
import { makeJoinProof, consumeJoinProof } from './accounts/join-proofs.ts';
import { ownsNumber } from './accounts/numbers.ts';
import { signIn, signInIfKnown, type NewlySignedIn } from './accounts/sign-in.ts';
import type { IdentityContext } from './context.ts';
import { readNumber, sendCode, verifyCode, type VerifiedNumber } from './otp/otp.ts';
import { findFirstVisit } from './recovery/recovery.ts';
import { markReauthenticated } from './sessions/session-flags.ts';
import * as sessions from './sessions/sessions.ts';
import * as cookies from './sign-in-cookies.ts';

const signInRequest = (ctx: IdentityContext, caller: Caller, number: VerifiedNumber) => ({
  number,
  device: cookies.deviceOf(ctx, caller),
  userAgent: caller.userAgent,
  addressKey: caller.addressKey,
  networkKey: caller.networkKey,
});

function finish(ctx: IdentityContext, caller: Caller, { token, user, isNewUser, device }: NewlySignedIn) {
  cookies.dropChallengeId(ctx, caller);
  cookies.setDevice(ctx, caller, device);
  return { token, user, isNewUser };
}

export const signInRoutes = (ctx: IdentityContext): Binding[] => [
  bind(requestOtp, async ({ body, caller }) => {
    const sent = await sendCode(ctx, {
      ...cookies.codeRequest(ctx, caller, body, body.purpose ?? 'signin'),
      device: cookies.deviceOf(ctx, caller),
    });
    cookies.setChallengeId(ctx, caller, sent.challengeId);
    caller.afterResponse(() => ctx.runInBackground(sent.deliver()));
    return { resendAfter: sent.resendAfter, expiresIn: limits.otpLifeSeconds };
  }),

  bind(verifyOtp, async ({ body, caller }) => {
    const number = await verifyCode(ctx, cookies.codeRequest(ctx, caller, body, 'signin'));
    const request = signInRequest(ctx, caller, number);
    const opened = await (body.asksFirst ? signInIfKnown(ctx, request) : signIn(ctx, request));
    if (opened) {
      const isFirst = body.asksFirst !== undefined && !opened.isNewUser && !opened.isDeviceKnown;
      const firstVisit = isFirst ? await findFirstVisit(ctx, opened.userId) : null;
      return { ...finish(ctx, caller, opened), ...(firstVisit && { firstVisit }) };
    }
    const browser = cookies.challengeIdOf(ctx, caller);
    // For as long as the proof lives, which is bound to it.
    if (browser) cookies.setChallengeId(ctx, caller, browser);
    throw new AppError('NO_ACCOUNT_YET', { proof: makeJoinProof(ctx, number.phone, browser) });
  }),

  bind(join, async ({ body, caller }) => {
    const number = readNumber(ctx, body.phone);
    await consumeJoinProof(ctx, body.proof, number.phone, cookies.challengeIdOf(ctx, caller));
    return finish(ctx, caller, await signIn(ctx, signInRequest(ctx, caller, number)));
  }),

  bind(reauthenticate, async ({ body, caller, viewer }) => {
    const number = await verifyCode(ctx, cookies.codeRequest(ctx, caller, body, 'reauth'));
    // A correct code for another number proves nothing about this account.
    if (!(await ownsNumber(ctx, viewer, number))) throw new AppError('OTP_INVALID');
    await markReauthenticated(ctx, viewer);
    cookies.dropChallengeId(ctx, caller);
  }),

  bind(listCountries, async () => {
    const { smsCountries } = ctx.settings;
    return { countries: smsCountries === 'all' ? getCountries() : [...smsCountries] };
  }),

  bind(logout, async ({ viewer, caller }) => {
    await sessions.endSession(ctx, viewer);
    cookies.forgetAccountOn(ctx, caller, viewer.userId);
    caller.dropBrowserCache();
  }),

  bind(listSessions, async ({ viewer }) => ({ sessions: await sessions.listSessions(ctx, viewer) })),

  bind(revokeSession, async ({ params, viewer, caller }) => {
    const { isCurrent } = await sessions.revokeSession(ctx, viewer, params.id);
    if (!isCurrent) return;
    cookies.forgetAccountOn(ctx, caller, viewer.userId);
    caller.dropBrowserCache();
  }),

  bind(revokeOtherSessions, ({ viewer }) => sessions.revokeOtherSessions(ctx, viewer)),
];
