import type { ErrorCode, WorkChallenge } from '@unsaid/contract';

interface AppErrorDetails {
  /** Shown in place of the code's own sentence. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  readonly challenge?: WorkChallenge;
  readonly fields?: readonly { readonly path: string; readonly rule: string }[];
}

/** An answer that is not a success. Anything else thrown is a fault of ours. */
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
