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
  const why = errorText(error, fallback);
  return t`${what}. ${why}`;
}

/**
 * The message to show: the server's in the reader's language, a sentence about the connection when
 * unreachable, or else the fallback from the specification.
 */
export function errorText(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback;
  if (error.kind === 'network') return t`We could not reach Unsaid. Check your connection and try again.`;
  if (error.kind === 'timeout') return t`That took too long. Check your connection and try again.`;
  const sentence = sentenceOf(error) || fallback;
  if (error.status === 429 && error.retryAfterSeconds) {
    const wait = formatWait(error.retryAfterSeconds);
    return t`${sentence} Try again in ${wait}.`;
  }
  return sentence;
}
