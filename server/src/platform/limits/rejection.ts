import type { ErrorCode } from '@unsaid/contract';
import { AppError } from '../errors.ts';

export interface Rejection {
  /** For metrics and for decisions of the caller; never shown to the client. */
  readonly budget: string;
  readonly retryAfterMs: number;
}

/** The error for the client: when to retry, not which budget is exhausted. */
export function rejectionError(code: ErrorCode, { retryAfterMs }: Rejection): AppError {
  return new AppError(code, { retryAfterSeconds: retryAfterSeconds(retryAfterMs) });
}

/** Rounded up in steps: the exact wait would reveal which budget is exhausted and when it was first used. */
export function retryAfterSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000);
  const step = seconds <= 60 ? 5 : seconds <= 600 ? 60 : seconds <= 3600 ? 600 : 3600;
  return Math.max(step, Math.ceil(seconds / step) * step);
}
