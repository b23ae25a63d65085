import {
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
import { bind, type Binding } from '../platform/http/bind.ts';
import { cookieName } from '../platform/http/cookies.ts';
import { rememberedDays, type AccountsService } from './accounts.service.ts';
import { deviceCookie, readDevice } from './devices.ts';
import type { OtpService } from './otp.service.ts';
import type { SessionsService } from './sessions.service.ts';

interface AuthRoutesDeps {
  readonly otp: OtpService;
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly smsCountries: readonly string[] | 'all';
  readonly isSecureOrigin: boolean;
  /** Work that the process waits for before it ends. */
  runInBackground(work: Promise<void>): void;
}

const challengePattern = /^[A-Za-z0-9_-]{16}$/u;

export function authRoutes(deps: AuthRoutesDeps): Binding[] {
  const { otp, accounts, sessions, isSecureOrigin: isSecure } = deps;
  const challengeCookie = cookieName('otp', isSecure);
  const knownCookie = cookieName('dev', isSecure);

  type Cookies = { cookie(name: string): string | null };
  const device = (caller: Cookies) => readDevice(caller.cookie(knownCookie));
  const challengeId = (caller: Cookies) => {
    const id = caller.cookie(challengeCookie);
    return id !== null && challengePattern.test(id) ? id : null;
  };

  return [
    bind(requestOtp, async ({ body, caller }) => {
      const sent = await otp.send({
        phone: body.phone,
        purpose: body.purpose ?? 'signin',
        device: device(caller),
        challengeId: challengeId(caller),
        addressKey: caller.addressKey,
      });
      caller.setCookie(challengeCookie, sent.challengeId, { maxAgeSeconds: 600, isSecure });
      caller.afterAnswer(() => deps.runInBackground(sent.deliver()));
      return { resendAfter: sent.resendAfter, expiresIn: limits.otpLifeSeconds };
    }),

    bind(verifyOtp, async ({ body, caller }) => {
      const number = await otp.verify({
        ...body,
        purpose: 'signin',
        device: device(caller),
        challengeId: challengeId(caller),
        addressKey: caller.addressKey,
      });
      const {
        token,
        user,
        isNewUser,
        device: remembered,
      } = await accounts.signIn({
        number,
        device: device(caller),
        userAgent: caller.userAgent,
        addressKey: caller.addressKey,
      });
      caller.setCookie(knownCookie, deviceCookie(remembered), {
        maxAgeSeconds: rememberedDays * 86_400,
        isSecure,
      });
      return { token, user, isNewUser };
    }),

    bind(reauthenticate, async ({ body, caller, viewer }) => {
      const number = await otp.verify({
        ...body,
        purpose: 'reauth',
        device: device(caller),
        challengeId: challengeId(caller),
        addressKey: caller.addressKey,
      });
      // Somebody else's number, rightly answered, proves nothing about this account.
      if (!(await accounts.ownsNumber(viewer, number))) throw new AppError('OTP_INVALID');
      await sessions.markReauthenticated(viewer);
    }),

    bind(listCountries, async () => ({
      countries: deps.smsCountries === 'all' ? getCountries() : [...deps.smsCountries],
    })),

    bind(logout, ({ viewer }) => sessions.end(viewer)),

    bind(listSessions, async ({ viewer }) => ({ sessions: await sessions.list(viewer) })),

    bind(revokeSession, ({ params, viewer }) => sessions.revoke(viewer, params.id)),

    bind(revokeOtherSessions, ({ viewer }) => sessions.revokeOthers(viewer)),
  ];
}
