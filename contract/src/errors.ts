import * as z from 'zod/mini';
import { powChallenge } from './proof-of-work.ts';

interface ErrorKind {
  readonly status: number;
  /** The message shown to people. Taken from the specification where it has one. */
  readonly message: string;
}

const kinds = {
  BAD_REQUEST: { status: 400, message: "We couldn't read that. Please try again." },
  UNAUTHENTICATED: { status: 401, message: 'Please log in again.' },
  OTP_INVALID: { status: 401, message: 'Invalid OTP' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'Your account is paused for now.' },
  ACCOUNT_LIMITED: { status: 403, message: "You can read for now, but you can't post." },
  NUMBER_HELD: { status: 403, message: "This number can't be used for a new account right now." },
  CROSS_SITE: { status: 403, message: 'We blocked that because it came from another site.' },
  REAUTH_REQUIRED: { status: 403, message: "Please confirm it's you with an OTP first." },
  RECOVERY_INVALID: { status: 403, message: "That recovery code doesn't work. Check it and try again." },
  POW_INVALID: { status: 403, message: "That didn't go through. Please try again." },
  CANNOT_REPORT_OWN: { status: 403, message: 'This is your own vent. You can delete it instead.' },
  COMMENTS_DISABLED: { status: 403, message: 'Comments are off for this vent.' },
  NOT_FOUND: { status: 404, message: "We couldn't find that." },
  VENT_NOT_FOUND: { status: 404, message: 'Vent not found.' },
  MATCH_NOT_FOUND: { status: 404, message: "We couldn't find that match." },
  COMMENT_NOT_FOUND: { status: 404, message: "We couldn't find that comment." },
  NOTICE_NOT_FOUND: { status: 404, message: "We couldn't find that notice." },
  REQUEST_TIMEOUT: { status: 408, message: 'That took too long. Please try again.' },
  USERNAME_TAKEN: { status: 409, message: "That name's taken. Try another." },
  NO_ACCOUNT_YET: { status: 409, message: "There's no account with this number yet." },
  NUMBER_TOO_NEW: {
    status: 409,
    message: "Your number changed in the last 7 days, so it can't stop someone who has the old one.",
  },
  RECOVERY_WAITS: {
    status: 409,
    message: 'Getting an account back takes 3 days.',
  },
  NUMBER_TAKEN: { status: 409, message: 'Another account already uses that number.' },
  MATCH_CLOSED: { status: 409, message: 'This match has closed.' },
  APPEAL_CLOSED: { status: 409, message: "You can't ask for another look at this one." },
  DUPLICATE_VENT: { status: 409, message: "You've already posted this." },
  BODY_TOO_LARGE: { status: 413, message: "That's too long to send." },
  URI_TOO_LONG: { status: 414, message: 'That link is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Only JSON works here.' },
  VALIDATION_FAILED: { status: 422, message: 'Please check what you entered.' },
  INVALID_PHONE: { status: 422, message: "That doesn't look like a mobile number." },
  COUNTRY_NOT_SUPPORTED: {
    status: 422,
    message: "We can't send an OTP to that country yet.",
  },
  USERNAME_INVALID: {
    status: 422,
    message: 'Use 1 to 20 letters, digits or underscores. No phone numbers or reserved words.',
  },
  IDENTIFYING_DETAILS: {
    status: 422,
    message: 'Something here could lead people to you or someone else. Please take it out.',
  },
  ENCOURAGES_SELF_HARM: {
    status: 422,
    message: "This tells someone to hurt themselves, so we can't post it. Please change it.",
  },
  POW_REQUIRED: { status: 428, message: "That didn't go through. Please try again." },
  RATE_LIMITED: { status: 429, message: "You're going a bit fast. Try again in a minute." },
  OTP_RATE_LIMITED: { status: 429, message: 'Too many OTPs for now. Try again later.' },
  HEADERS_TOO_LARGE: { status: 431, message: "We couldn't read that. Please try again." },
  INTERNAL: { status: 500, message: 'Something broke on our side. Please try again.' },
  PAUSED: { status: 503, message: "We've paused this for now. Please come back later." },
  SIGN_UP_CLOSED: {
    status: 503,
    message: "We're not taking new people in right now. Please come back later.",
  },
  SMS_UNAVAILABLE: { status: 503, message: 'Failed to send OTP' },
  TEMPORARILY_UNAVAILABLE: {
    status: 503,
    message: "We can't do that right now. Try again in a moment.",
  },
} as const satisfies Record<string, ErrorKind>;

/** Only the moderation console meets these. */
const consoleKinds = {
  ENROL_INVALID: { status: 403, message: 'This link was used or has expired. Ask for a new one.' },
  PASSKEY_INVALID: { status: 403, message: "This passkey doesn't work here." },
  PROOF_REQUIRED: { status: 403, message: 'Confirm with your passkey first.' },
  ROLE_REQUIRED: { status: 403, message: "Your role doesn't allow this." },
  SECOND_PERSON: { status: 403, message: 'You decided this case. Someone else has to look at it.' },
  CASE_NOT_FOUND: { status: 404, message: 'There is no such case.' },
  LEASE_LOST: { status: 409, message: 'You no longer hold this case.' },
  CASE_CHANGED: { status: 409, message: 'The case has changed. Look at it again.' },
  CASE_CLOSED: { status: 409, message: 'This case is closed.' },
  POLICY_REQUIRED: { status: 422, message: 'Choose the rule that was broken.' },
  ENOUGH_FOR_TODAY: { status: 429, message: "You've read enough hard texts for today. Take a break." },
} as const satisfies Record<string, ErrorKind>;

export type ConsoleErrorCode = keyof typeof consoleKinds;
export type ErrorCode = keyof typeof kinds | ConsoleErrorCode;

// Marked as pure: bundlers keep a spread, and the web needs no message of these.
export const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = /* @__PURE__ */ (() => ({
  ...kinds,
  ...consoleKinds,
}))();

export const errorBody = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  requestId: z.string(),
  /** The invalid inputs by path and broken rule; never the submitted values. */
  fields: z.optional(z.array(z.object({ path: z.string(), rule: z.string() }))),
  /** With POW_REQUIRED: the proof-of-work challenge to solve before repeating the call. */
  challenge: z.optional(powChallenge),
  /** With NO_ACCOUNT_YET: what `join` needs. */
  proof: z.optional(z.string()),
  /** With RECOVERY_WAITS: the hour from which on the call works. */
  opensAt: z.optional(z.string()),
});

export type ErrorBody = z.output<typeof errorBody>;
