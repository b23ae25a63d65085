import type { ConsoleErrorCode, ErrorCode } from '@unsaid/contract';
import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ApiError } from './api-client.ts';

/** Codes whose message differs by call. The calling screen translates them, as its fallback. */
type CallSpecificCode = 'VALIDATION_FAILED';
type UserErrorCode = Exclude<ErrorCode, ConsoleErrorCode | CallSpecificCode>;

/** Copies of the contract's messages, for the translation macro. A test keeps both equal. */
export const sentences: Readonly<Record<UserErrorCode, MessageDescriptor>> = {
  BAD_REQUEST: msg`We couldn't read that. Please try again.`,
  UNAUTHENTICATED: msg`Please log in again.`,
  OTP_INVALID: msg`Invalid OTP`,
  ACCOUNT_SUSPENDED: msg`Your account is paused for now.`,
  ACCOUNT_LIMITED: msg`You can read for now, but you can't post.`,
  NUMBER_HELD: msg`This number can't be used for a new account right now.`,
  CROSS_SITE: msg`We blocked that because it came from another site.`,
  RECOVERY_INVALID: msg`That recovery code doesn't work. Check it and try again.`,
  REAUTH_REQUIRED: msg`Please confirm it's you with an OTP first.`,
  POW_INVALID: msg`That didn't go through. Please try again.`,
  CANNOT_REPORT_OWN: msg`This is your own vent. You can delete it instead.`,
  COMMENTS_DISABLED: msg`Comments are off for this vent.`,
  NOT_FOUND: msg`We couldn't find that.`,
  VENT_NOT_FOUND: msg`Vent not found.`,
  MATCH_NOT_FOUND: msg`We couldn't find that match.`,
  COMMENT_NOT_FOUND: msg`We couldn't find that comment.`,
  NOTICE_NOT_FOUND: msg`We couldn't find that notice.`,
  REQUEST_TIMEOUT: msg`That took too long. Please try again.`,
  NO_ACCOUNT_YET: msg`There's no account with this number yet.`,
  NUMBER_TOO_NEW: msg`Your number changed in the last 7 days, so it can't stop someone who has the old one.`,
  RECOVERY_WAITS: msg`Getting an account back takes 3 days.`,
  NUMBER_TAKEN: msg`Another account already uses that number.`,
  USERNAME_TAKEN: msg`That name's taken. Try another.`,
  MATCH_CLOSED: msg`This match has closed.`,
  APPEAL_CLOSED: msg`You can't ask for another look at this one.`,
  DUPLICATE_VENT: msg`You've already posted this.`,
  BODY_TOO_LARGE: msg`That's too long to send.`,
  URI_TOO_LONG: msg`That link is too long.`,
  UNSUPPORTED_MEDIA_TYPE: msg`Only JSON works here.`,
  INVALID_PHONE: msg`That doesn't look like a mobile number.`,
  COUNTRY_NOT_SUPPORTED: msg`We can't send an OTP to that country yet.`,
  USERNAME_INVALID: msg`Use 1 to 20 letters, digits or underscores. No phone numbers or reserved words.`,
  IDENTIFYING_DETAILS: msg`Something here could lead people to you or someone else. Please take it out.`,
  ENCOURAGES_SELF_HARM: msg`This tells someone to hurt themselves, so we can't post it. Please change it.`,
  POW_REQUIRED: msg`That didn't go through. Please try again.`,
  RATE_LIMITED: msg`You're going a bit fast. Try again in a minute.`,
  OTP_RATE_LIMITED: msg`Too many OTPs for now. Try again later.`,
  HEADERS_TOO_LARGE: msg`We couldn't read that. Please try again.`,
  INTERNAL: msg`Something broke on our side. Please try again.`,
  PAUSED: msg`We've paused this for now. Please come back later.`,
  SIGN_UP_CLOSED: msg`We're not taking new people in right now. Please come back later.`,
  SMS_UNAVAILABLE: msg`Failed to send OTP`,
  TEMPORARILY_UNAVAILABLE: msg`We can't do that right now. Try again in a moment.`,
};

const isKnown = (code: string): code is keyof typeof sentences => Object.hasOwn(sentences, code);

/**
 * The message in the reader's language. The server's English text is used for English, and for codes newer
 * than this page. Empty where the screen's fallback is the translation.
 */
export function sentenceOf({ code, sentence }: ApiError): string {
  if (i18n.locale === 'en') return sentence;
  if (isKnown(code)) return i18n._(sentences[code]);
  return code === ('VALIDATION_FAILED' satisfies CallSpecificCode) ? '' : sentence;
}
