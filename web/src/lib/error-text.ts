import type { ErrorCode } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { ApiError } from './api-client.ts';
import { sentenceOf } from './error-sentences.ts';
import { formatWait } from './format.ts';

function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.kind !== 'response';
}

/**
 * Like `errorText`, but also names what failed when the server was unreachable. For pages that load several
 * things.
 */
export function failureText(error: unknown, fallback: string): string {
  if (!isUnreachable(error)) return errorText(error, fallback);
  const what = fallback.replace(/[.।]$/u, '');
  // The banner above every page says that there is no connection.
  if (!navigator.onLine) return t`${what}.`;
  const why = errorText(error, fallback);
  return t`${what}. ${why}`;
}

/**
 * The message to show: the server's in the reader's language, a sentence about the connection when
 * unreachable, or else the fallback from the specification.
 */
export function errorText(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback;
  if (error.kind === 'network') return t`Couldn't reach Unsaid. Check your connection and try again.`;
  if (error.kind === 'timeout') return t`That took too long. Check your connection and try again.`;
  if (error.status === 429 && error.retryAfterSeconds) return waitText(error.code, error.retryAfterSeconds);
  return sentenceOf(error) || fallback;
}

/** The exact wait in place of the message's general one. */
function waitText(code: string, seconds: number): string {
  const wait = formatWait(seconds);
  return code === ('OTP_RATE_LIMITED' satisfies ErrorCode)
    ? t`Too many OTPs for now. Try again in ${wait}.`
    : t`You're going a bit fast. Try again in ${wait}.`;
}
