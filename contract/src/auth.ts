import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { codeErrors, done, otp, phone, pow, success } from './fields.ts';
import { limits } from './limits.ts';
import { codeBodyBytes } from './padding.ts';
import { selfUser } from './profiles.ts';

/** `change` verifies the new number of an account, `reauth` its current one. */
export const otpPurposes = ['signin', 'reauth', 'change'] as const;
export type OtpPurpose = (typeof otpPurposes)[number];

export const requestOtp = endpoint({
  method: 'POST',
  path: '/api/auth/request-otp',
  summary: 'Send a code to a number. The response is the same whether or not the number has an account.',
  auth: 'public',
  hasOwnLimits: true,
  body: z.object({ phone, purpose: z.optional(z.enum(otpPurposes)), pow }),
  invalidMessage: 'Failed to send OTP',
  response: z.object({ ...success, resendAfter: z.number(), expiresIn: z.number() }),
  errors: [
    'INVALID_PHONE',
    'COUNTRY_NOT_SUPPORTED',
    'POW_REQUIRED',
    'POW_INVALID',
    'OTP_RATE_LIMITED',
    'SMS_UNAVAILABLE',
  ],
  maxBodyBytes: codeBodyBytes,
});

const signedIn = { ...success, token: z.string(), user: selfUser, isNewUser: z.boolean() };

/** A sign-in on a device that is new to an account which somebody else may use as well. */
const firstVisit = z.object({
  /** The month in which the account was made, as `2026-11`. */
  since: z.string(),
  hasCode: z.boolean(),
  otherSessions: z.number(),
});
export type FirstVisit = z.output<typeof firstVisit>;

export const verifyOtp = endpoint({
  method: 'POST',
  path: '/api/auth/verify-otp',
  summary: `Exchange a code for a session. An unknown number gets a new account, or with asksFirst the error NO_ACCOUNT_YET and a proof for join. If asksFirst is sent at all, firstVisit tells on a new device that the account has a recovery code or other sessions. With the cookie of request-otp a code has ${limits.otpTries} attempts, without it ${limits.otpTriesWithoutChallenge} of them.`,
  auth: 'public',
  hasOwnLimits: true,
  body: z.object({ phone, otp, asksFirst: z.optional(z.boolean()) }),
  invalidMessage: 'Invalid OTP',
  response: z.object({ ...signedIn, firstVisit: z.optional(firstVisit) }),
  errors: [...codeErrors, 'NUMBER_HELD', 'NO_ACCOUNT_YET', 'SIGN_UP_CLOSED'],
  maxBodyBytes: codeBodyBytes,
});

export const join = endpoint({
  method: 'POST',
  path: '/api/auth/join',
  summary: `Make an account for a number that was verified in this browser, with the proof of verify-otp, once and within ${limits.joinMinutes} minutes.`,
  auth: 'public',
  hasOwnLimits: true,
  body: z.object({ phone, proof: z.string().check(z.maxLength(200)), isAdultAndAgrees: z.literal(true) }),
  invalidMessage: 'Invalid OTP',
  response: z.object(signedIn),
  errors: [...codeErrors, 'NUMBER_HELD', 'SIGN_UP_CLOSED'],
  maxBodyBytes: codeBodyBytes,
});

export const reauthenticate = endpoint({
  method: 'POST',
  path: '/api/auth/reauth',
  summary: `Reauthenticate with a fresh code (purpose reauth); valid for ${limits.reauthMinutes} minutes.`,
  isSensitive: true,
  isOpenToSuspended: true,
  body: z.object({ phone, otp }),
  invalidMessage: 'Invalid OTP',
  response: done,
  errors: codeErrors,
  maxBodyBytes: codeBodyBytes,
});

export const listCountries = endpoint({
  method: 'GET',
  path: '/api/auth/countries',
  summary: 'Countries whose numbers can get a code, for the country picker.',
  auth: 'public',
  response: z.object({ ...success, countries: z.array(z.string()) }),
});
