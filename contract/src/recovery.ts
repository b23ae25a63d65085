import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { codeBodyBytes, codeErrors, day, done, otp, phone, success } from './fields.ts';
import { limits } from './limits.ts';
import { selfUser } from './profiles.ts';

/** As it was shown, or as somebody typed it from paper; what it opens is for the server to say. */
const recoveryCode = z.string().check(z.maxLength(limits.recoveryCodeChars));

export const readRecovery = endpoint({
  method: 'GET',
  path: '/api/auth/recovery-code',
  summary:
    'Whether this account has a recovery code, and the day it was made. The code itself is shown once, when it is made.',
  isSensitive: true,
  response: z.object({ ...success, hasCode: z.boolean(), madeOn: z.nullable(day) }),
});

export const makeRecoveryCode = endpoint({
  method: 'POST',
  path: '/api/auth/recovery-code',
  summary: `Make a recovery code, in place of the old one if there is one. The session that made the account needs no fresh code for its first, for ${limits.signUpMinutes} minutes; everybody else confirms with one (POST /api/auth/reauth).`,
  isSensitive: true,
  response: z.object({ ...success, code: z.string(), madeOn: day }),
  errors: ['REAUTH_REQUIRED'],
});

export const recoverAccount = endpoint({
  method: 'POST',
  path: '/api/auth/recover',
  summary:
    'Bring back the account a recovery code belongs to: the number signed in with now becomes its number, the account of the last days that had it is deleted, and every session but the one answered here ends.',
  isSensitive: true,
  body: z.object({ code: recoveryCode }),
  response: z.object({ ...success, token: z.string(), user: selfUser }),
  errors: ['RECOVERY_INVALID', 'NUMBER_TAKEN'],
});

export const changeNumber = endpoint({
  method: 'PUT',
  path: '/api/auth/change-number',
  summary:
    'Sign in with another number from now on. Takes a code sent to the new number (purpose change), and a fresh code of the old one (POST /api/auth/reauth) or the recovery code. Every other session ends.',
  isSensitive: true,
  body: z.object({ phone, otp, recoveryCode: z.optional(recoveryCode) }),
  response: done,
  errors: [...codeErrors, 'REAUTH_REQUIRED', 'RECOVERY_INVALID', 'NUMBER_TAKEN'],
  maxBodyBytes: codeBodyBytes,
});
