import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { codeErrors, day, done, otp, phone, success } from './fields.ts';
import { limits } from './limits.ts';
import { codeBodyBytes } from './padding.ts';
import { selfUser } from './profiles.ts';

/** As shown, or as typed from paper: the server normalizes it. */
const recoveryCode = z.string().check(z.maxLength(limits.recoveryCodeChars));

export const readRecovery = endpoint({
  method: 'GET',
  path: '/api/auth/recovery-code',
  summary:
    'Whether this account has a recovery code, and the day it was confirmed. The code itself is shown once, before that.',
  isSensitive: true,
  response: z.object({
    ...success,
    hasCode: z.boolean(),
    madeOn: z.nullable(day),
  }),
});

export const makeRecoveryCode = endpoint({
  method: 'POST',
  path: '/api/auth/recovery-code',
  summary: `Get a new recovery code, which is not valid yet and of which nothing is stored: send the proof with PUT once the code is written down. An older code stays valid until then. The session that created the account needs no fresh code for its first, for ${limits.signUpMinutes} minutes; every other session confirms with one (POST /api/auth/reauth).`,
  isSensitive: true,
  response: z.object({ ...success, code: z.string(), proof: z.string() }),
  errors: ['REAUTH_REQUIRED'],
});

export const confirmRecoveryCode = endpoint({
  method: 'PUT',
  path: '/api/auth/recovery-code',
  summary: `Make a recovery code valid, replacing the one that was valid when it was created, and stopping a recovery that waits with it. The proof is of use to the same session alone, for ${limits.recoveryConfirmMinutes} minutes; sent twice it has no second effect.`,
  isSensitive: true,
  body: z.object({ proof: z.string().check(z.maxLength(limits.recoveryProofChars)) }),
  response: z.object({ ...success, madeOn: day }),
  errors: ['REAUTH_REQUIRED'],
});

export const cancelRecoveryCode = endpoint({
  method: 'DELETE',
  path: '/api/auth/recovery-code',
  summary: `Cancel the valid code, and stop a recovery that waits with it. For ${limits.replacedCodeDays} days after the number was changed, a code that was replaced or cancelled lately still works for who signs in with the former number, and nothing stops that: nobody with the phone in hand can lock its owner out. Needs a fresh code (POST /api/auth/reauth).`,
  isSensitive: true,
  isOpenToSuspended: true,
  response: done,
  errors: ['REAUTH_REQUIRED', 'NUMBER_TOO_NEW'],
});

export const recoverAccount = endpoint({
  method: 'POST',
  path: '/api/auth/recover',
  summary: `Recover the account of a recovery code: the current number becomes its number, the account created with that number is deleted, and every session but the returned one ends. The error RECOVERY_WAITS says from which hour on the same call works: ${limits.recoveryWaitHours} hours later, unless its owner, who is told at once, stops it.`,
  isSensitive: true,
  body: z.object({ code: recoveryCode }),
  response: z.object({ ...success, token: z.string(), user: selfUser }),
  errors: ['RECOVERY_INVALID', 'RECOVERY_WAITS', 'NUMBER_TAKEN'],
});

export const changeNumber = endpoint({
  method: 'PUT',
  path: '/api/auth/change-number',
  summary:
    'Change the phone number. Requires a code sent to the new number (purpose change), and a fresh code for the old one (POST /api/auth/reauth) or the recovery code. Every other session ends.',
  isSensitive: true,
  body: z.object({ phone, otp, recoveryCode: z.optional(recoveryCode) }),
  response: done,
  errors: [...codeErrors, 'REAUTH_REQUIRED', 'RECOVERY_INVALID', 'NUMBER_TAKEN', 'NUMBER_HELD'],
  maxBodyBytes: codeBodyBytes,
});
