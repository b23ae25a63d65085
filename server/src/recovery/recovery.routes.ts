import { changeNumber, makeRecoveryCode, readRecovery, recoverAccount } from '@unsaid/contract';
import type { OtpService } from '../auth/otp.service.ts';
import type { SignInCookies } from '../auth/sign-in-cookies.ts';
import { bind, type Binding } from '../platform/http/bind.ts';
import type { RecoveryService } from './recovery.service.ts';

interface RecoveryRoutesDeps {
  readonly recovery: RecoveryService;
  readonly otp: OtpService;
  readonly cookies: SignInCookies;
}

export function recoveryRoutes({ recovery, otp, cookies }: RecoveryRoutesDeps): Binding[] {
  return [
    bind(readRecovery, async ({ viewer }) => {
      const madeOn = await recovery.codeDay(viewer);
      return { hasCode: madeOn !== null, madeOn };
    }),

    bind(makeRecoveryCode, ({ viewer }) => recovery.makeCode(viewer)),

    bind(recoverAccount, async ({ body, caller, viewer }) => {
      const { token, user, device } = await recovery.bringBack(viewer, body.code, {
        device: cookies.device(caller),
        userAgent: caller.userAgent,
      });
      cookies.setDevice(caller, device);
      return { token, user };
    }),

    bind(changeNumber, async ({ body: { phone, otp: code, recoveryCode }, caller, viewer }) => {
      // Before the code, so that one that is right is not used up for nothing.
      await recovery.insistOnProof(viewer, recoveryCode);
      const number = await otp.verify({
        phone,
        otp: code,
        purpose: 'change',
        challengeId: cookies.challengeId(caller),
        addressKey: caller.addressKey,
      });
      await recovery.changeNumber(viewer, number);
      cookies.dropChallengeId(caller);
      cookies.rememberNumber(caller, viewer.userId, number.phone);
    }),
  ];
}
