import type { ErrorCode, PowChallenge } from '@unsaid/contract';

interface AppErrorDetails {
  /** Replaces the code's default sentence. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  readonly challenge?: PowChallenge;
  readonly proof?: string;
  readonly opensAt?: string;
  readonly fields?: readonly { readonly path: string; readonly rule: string }[];
}

/** An error response. Any other error that is thrown is a bug or an outage. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly details: AppErrorDetails;
  constructor(code: ErrorCode, details: AppErrorDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}
