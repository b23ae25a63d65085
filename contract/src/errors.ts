import * as z from 'zod/mini';
import { powChallenge } from './proof-of-work.ts';

interface ErrorKind {
  readonly status: number;
  /** The message shown to people. Taken from the specification where it has one. */
  readonly message: string;
}

const kinds = {
  BAD_REQUEST: { status: 400, message: 'That request could not be read.' },
  UNAUTHENTICATED: { status: 401, message: 'Please sign in again.' },
  OTP_INVALID: { status: 401, message: 'Invalid OTP' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'This account is paused for now.' },
  CROSS_SITE: { status: 403, message: 'That request came from another site.' },
  REAUTH_REQUIRED: { status: 403, message: 'Please confirm with a fresh code first.' },
  RECOVERY_INVALID: { status: 403, message: 'That code opens no account.' },
  POW_INVALID: { status: 403, message: 'That did not go through. Please try again.' },
  CANNOT_REPORT_OWN: { status: 403, message: 'This vent is your own. You can delete it instead.' },
  COMMENTS_DISABLED: { status: 403, message: 'Comments are closed here.' },
  NOT_FOUND: { status: 404, message: 'That is not here.' },
  VENT_NOT_FOUND: { status: 404, message: 'Vent not found.' },
  MATCH_NOT_FOUND: { status: 404, message: 'That match is not here.' },
  COMMENT_NOT_FOUND: { status: 404, message: 'That comment is not here.' },
  REQUEST_TIMEOUT: { status: 408, message: 'That took too long to arrive.' },
  USERNAME_TAKEN: { status: 409, message: 'That name is taken. Try another.' },
  NUMBER_TAKEN: { status: 409, message: 'Another account is using that number.' },
  MATCH_CLOSED: { status: 409, message: 'This match is closed.' },
  DUPLICATE_VENT: { status: 409, message: 'You have said this a few times just now. It is heard.' },
  BODY_TOO_LARGE: { status: 413, message: 'That is too long to send.' },
  URI_TOO_LONG: { status: 414, message: 'That address is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Only JSON is understood here.' },
  VALIDATION_FAILED: { status: 422, message: 'Some of that does not fit.' },
  INVALID_PHONE: { status: 422, message: 'That does not look like a mobile number.' },
  COUNTRY_NOT_SUPPORTED: {
    status: 422,
    message: 'Codes cannot be sent to numbers of that country yet.',
  },
  USERNAME_INVALID: {
    status: 422,
    message: 'A name is 1 to 20 letters, digits or underscores, and not a phone number or a reserved word.',
  },
  POW_REQUIRED: { status: 428, message: 'That did not go through. Please try again.' },
  RATE_LIMITED: { status: 429, message: 'That was a lot at once. Please wait a little.' },
  OTP_RATE_LIMITED: { status: 429, message: 'Too many codes for now. Please wait a little.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'That request could not be read.' },
  INTERNAL: { status: 500, message: 'Something went wrong on our side.' },
  SMS_UNAVAILABLE: { status: 503, message: 'Failed to send OTP' },
  TEMPORARILY_UNAVAILABLE: {
    status: 503,
    message: 'We cannot do that just now. Please try again in a moment.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

export const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = kinds;

export const errorBody = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  requestId: z.string(),
  /** The invalid inputs by path and broken rule; never the submitted values. */
  fields: z.optional(z.array(z.object({ path: z.string(), rule: z.string() }))),
  /** With POW_REQUIRED: the proof-of-work challenge to solve before repeating the call. */
  challenge: z.optional(powChallenge),
});

export type ErrorBody = z.output<typeof errorBody>;
