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
import { AppError } from '../platform/errors.ts';
import { bind } from '../kernel/viewer.ts';
import type { Binding, Caller } from '../platform/http/bind.ts';
import type { AccountsService } from './accounts/accounts.ts';
import type { JoinProofs } from './accounts/join-proofs.ts';
import { codeRequest } from './otp/code-request.ts';
import type { OtpService, VerifiedNumber } from './otp/otp.ts';
import type { SessionsService } from './sessions/sessions.ts';
import type { RecoveryService } from './recovery/recovery.ts';
import type { SignInCookies } from './sign-in-cookies.ts';

interface AuthRoutesDeps {
  readonly otp: OtpService;
  readonly accounts: AccountsService;
  readonly joinProofs: JoinProofs;
  readonly sessions: SessionsService;
  readonly recovery: RecoveryService;
  readonly smsCountries: readonly string[] | 'all';
  readonly cookies: SignInCookies;
  /** Shutdown waits for this promise. */
  runInBackground(work: Promise<void>): void;
}

export function authRoutes(deps: AuthRoutesDeps): Binding[] {
  const { otp, accounts, joinProofs, sessions, recovery, cookies } = deps;

  const signInRequest = (caller: Caller, number: VerifiedNumber) => ({
    number,
    device: cookies.device(caller),
    userAgent: caller.userAgent,
    addressKey: caller.addressKey,
    networkKey: caller.networkKey,
  });

  function finish(
    caller: Caller,
    { token, user, isNewUser, device }: Awaited<ReturnType<AccountsService['signIn']>>,
  ) {
    cookies.dropChallengeId(caller);
    cookies.setDevice(caller, device);
    return { token, user, isNewUser };
  }

  return [
    bind(requestOtp, async ({ body, caller }) => {
      const sent = await otp.send({
        ...codeRequest(caller, cookies, body, body.purpose ?? 'signin'),
        device: cookies.device(caller),
      });
      cookies.setChallengeId(caller, sent.challengeId);
      caller.afterResponse(() => deps.runInBackground(sent.deliver()));
      return { resendAfter: sent.resendAfter, expiresIn: limits.otpLifeSeconds };
    }),

    bind(verifyOtp, async ({ body, caller }) => {
      const number = await otp.verify(codeRequest(caller, cookies, body, 'signin'));
      const request = signInRequest(caller, number);
      const opened = await (body.asksFirst ? accounts.signInIfKnown(request) : accounts.signIn(request));
      if (opened) {
        const isFirst = body.asksFirst !== undefined && !opened.isNewUser && !opened.isDeviceKnown;
        const firstVisit = isFirst ? await recovery.firstVisit(opened.userId) : null;
        return { ...finish(caller, opened), ...(firstVisit && { firstVisit }) };
      }
      const browser = cookies.challengeId(caller);
      // For as long as the proof lives, which is bound to it.
      if (browser) cookies.setChallengeId(caller, browser);
      throw new AppError('NO_ACCOUNT_YET', { proof: joinProofs.make(number.phone, browser) });
    }),

    bind(join, async ({ body, caller }) => {
      const number = otp.readNumber(body.phone);
      await joinProofs.use(body.proof, number.phone, cookies.challengeId(caller));
      return finish(caller, await accounts.signIn(signInRequest(caller, number)));
    }),

    bind(reauthenticate, async ({ body, caller, viewer }) => {
      const number = await otp.verify(codeRequest(caller, cookies, body, 'reauth'));
      // A correct code for another number proves nothing about this account.
      if (!(await accounts.ownsNumber(viewer, number))) throw new AppError('OTP_INVALID');
      await sessions.markReauthenticated(viewer);
      cookies.dropChallengeId(caller);
    }),

    bind(listCountries, async () => ({
      countries: deps.smsCountries === 'all' ? getCountries() : [...deps.smsCountries],
    })),

    bind(logout, async ({ viewer, caller }) => {
      await sessions.end(viewer);
      cookies.forget(caller, viewer.userId);
      caller.dropBrowserCache();
    }),

    bind(listSessions, async ({ viewer }) => ({ sessions: await sessions.list(viewer) })),

    bind(revokeSession, async ({ params, viewer, caller }) => {
      const { isCurrent } = await sessions.revoke(viewer, params.id);
      if (!isCurrent) return;
      cookies.forget(caller, viewer.userId);
      caller.dropBrowserCache();
    }),

    bind(revokeOtherSessions, ({ viewer }) => sessions.revokeOthers(viewer)),
  ];
}
