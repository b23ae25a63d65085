import {
  changeNumber,
  confirmRecoveryCode,
  makeRecoveryCode,
  readRecovery,
  recoverAccount,
} from '@unsaid/contract';
import { codeRequest } from '../auth/otp/code-request.ts';
import type { OtpService } from '../auth/otp/otp.service.ts';
import type { SignInCookies } from '../auth/sign-in-cookies.ts';
import { bind } from '../auth/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
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

    bind(makeRecoveryCode, ({ viewer }) => recovery.offerCode(viewer)),

    bind(confirmRecoveryCode, async ({ body, viewer }) => ({
      madeOn: await recovery.confirmCode(viewer, body.proof),
    })),

    bind(recoverAccount, async ({ body, caller, viewer }) => {
      const { token, user, device } = await recovery.recoverAccount(viewer, body.code, {
        device: cookies.device(caller),
        userAgent: caller.userAgent,
      });
      cookies.setDevice(caller, device);
      return { token, user };
    }),

    bind(changeNumber, async ({ body, caller, viewer }) => {
      // Checked before the code, so that a correct code is not consumed in vain.
      await recovery.requireReauth(viewer, body.recoveryCode);
      const number = await otp.verify(codeRequest(caller, cookies, body, 'change'));
      await recovery.changeNumber(viewer, number);
      cookies.dropChallengeId(caller);
      cookies.rememberNumber(caller, viewer.userId, number.phone);
    }),
  ];
}
