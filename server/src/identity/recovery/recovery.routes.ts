import {
  cancelRecoveryCode,
  changeNumber,
  confirmRecoveryCode,
  makeRecoveryCode,
  readRecovery,
} from '@unsaid/contract';
import { codeRequest } from '../otp/code-request.ts';
import type { OtpService } from '../otp/otp.ts';
import type { SignInCookies } from '../sign-in-cookies.ts';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { RecoveryService } from './recovery.ts';

interface RecoveryRoutesDeps {
  readonly recovery: RecoveryService;
  readonly otp: OtpService;
  readonly cookies: SignInCookies;
}

export function recoveryRoutes({ recovery, otp, cookies }: RecoveryRoutesDeps): Binding[] {
  return [
    bind(readRecovery, async ({ viewer }) => {
      const described = await recovery.describe(viewer.userId);
      return { hasCode: described.madeOn !== null, ...described };
    }),

    bind(makeRecoveryCode, ({ viewer }) => recovery.offerCode(viewer)),

    bind(confirmRecoveryCode, async ({ body, viewer }) => ({
      madeOn: await recovery.confirmCode(viewer, body.proof),
    })),

    bind(cancelRecoveryCode, ({ viewer }) => recovery.cancelCodes(viewer)),

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
