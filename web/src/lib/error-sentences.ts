import type { ErrorCode } from '@unsaid/contract';
import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ApiError } from './api-client.ts';

/** Codes whose message differs by call. The calling screen translates them, as its fallback. */
type CallSpecificCode = 'VALIDATION_FAILED';

/** Copies of the contract's messages, for the translation macro. A test keeps both equal. */
export const sentences: Readonly<Record<Exclude<ErrorCode, CallSpecificCode>, MessageDescriptor>> = {
  BAD_REQUEST: msg`That request could not be read.`,
  UNAUTHENTICATED: msg`Please sign in again.`,
  OTP_INVALID: msg`Invalid OTP`,
  ACCOUNT_SUSPENDED: msg`This account is paused for now.`,
  CROSS_SITE: msg`That request came from another site.`,
  RECOVERY_INVALID: msg`That code opens no account.`,
  REAUTH_REQUIRED: msg`Please confirm with a fresh code first.`,
  POW_INVALID: msg`That did not go through. Please try again.`,
  CANNOT_REPORT_OWN: msg`This vent is your own. You can delete it instead.`,
  COMMENTS_DISABLED: msg`Comments are closed here.`,
  NOT_FOUND: msg`That is not here.`,
  VENT_NOT_FOUND: msg`Vent not found.`,
  MATCH_NOT_FOUND: msg`That match is not here.`,
  COMMENT_NOT_FOUND: msg`That comment is not here.`,
  REQUEST_TIMEOUT: msg`That took too long to arrive.`,
  NUMBER_TAKEN: msg`Another account is using that number.`,
  USERNAME_TAKEN: msg`That name is taken. Try another.`,
  MATCH_CLOSED: msg`This match is closed.`,
  DUPLICATE_VENT: msg`You have said this a few times just now. It is heard.`,
  BODY_TOO_LARGE: msg`That is too long to send.`,
  URI_TOO_LONG: msg`That address is too long.`,
  UNSUPPORTED_MEDIA_TYPE: msg`Only JSON is understood here.`,
  INVALID_PHONE: msg`That does not look like a mobile number.`,
  COUNTRY_NOT_SUPPORTED: msg`Codes cannot be sent to numbers of that country yet.`,
  USERNAME_INVALID: msg`A name is 1 to 20 letters, digits or underscores, and not a phone number or a reserved word.`,
  POW_REQUIRED: msg`That did not go through. Please try again.`,
  RATE_LIMITED: msg`That was a lot at once. Please wait a little.`,
  OTP_RATE_LIMITED: msg`Too many codes for now. Please wait a little.`,
  HEADERS_TOO_LARGE: msg`That request could not be read.`,
  INTERNAL: msg`Something went wrong on our side.`,
  SMS_UNAVAILABLE: msg`Failed to send OTP`,
  TEMPORARILY_UNAVAILABLE: msg`We cannot do that just now. Please try again in a moment.`,
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
