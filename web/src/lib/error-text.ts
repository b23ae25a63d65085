import { t } from '@lingui/core/macro';
import { ApiError } from './api-client.ts';
import { sentenceOf } from './error-sentences.ts';
import { formatWait } from './format.ts';

function isUnreached(error: unknown): boolean {
  return error instanceof ApiError && error.kind !== 'answer';
}

/** As below, but beginning with what failed also when nobody answered: where several things load on one page. */
export function failureText(error: unknown, fallback: string): string {
  if (!isUnreached(error)) return errorText(error, fallback);
  const what = fallback.replace(/[.।]$/u, '');
  const why = errorText(error, fallback);
  return t`${what}. ${why}`;
}

/** The sentence a person reads: the server's own in the reader's language, else a calm one about the network, else the fallback of the spec. */
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
