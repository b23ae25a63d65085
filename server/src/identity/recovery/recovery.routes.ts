import {
  cancelRecoveryCode,
  changeNumber,
  confirmRecoveryCode,
  makeRecoveryCode,
  readRecovery,
} from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { IdentityContext } from '../context.ts';
import { verifyCode } from '../otp/otp.ts';
import { codeRequest, dropChallengeId, rememberNumberOn } from '../sign-in-cookies.ts';
import * as recovery from './recovery.ts';

export const recoveryRoutes = (ctx: IdentityContext): Binding[] => [
  bind(readRecovery, async ({ viewer }) => {
    const described = await recovery.describeRecovery(ctx, viewer.userId);
    return { hasCode: described.madeOn !== null, ...described };
  }),

  bind(makeRecoveryCode, ({ viewer }) => recovery.offerCode(ctx, viewer)),

  bind(confirmRecoveryCode, async ({ body, viewer }) => ({
    madeOn: await recovery.confirmCode(ctx, viewer, body.proof),
  })),

  bind(cancelRecoveryCode, ({ viewer }) => recovery.cancelCodes(ctx, viewer)),

  bind(changeNumber, async ({ body, caller, viewer }) => {
    // Checked before the code, so that a correct code is not consumed in vain.
    await recovery.requireReauth(ctx, viewer, body.recoveryCode);
    const number = await verifyCode(ctx, codeRequest(ctx, caller, body, 'change'));
    await recovery.changeNumber(ctx, viewer, number);
    dropChallengeId(ctx, caller);
    rememberNumberOn(ctx, caller, viewer.userId, number.phone);
  }),
];
