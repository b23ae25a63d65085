import { limits } from '@unsaid/contract';

/**
 * How long Resend stays locked after a code was sent. Signing up: 30 s after every send.
 * Signing in: the first resend is open at once. The server's word counts when it asks for longer.
 */
export function resendLockSeconds(
  flow: 'signup' | 'login',
  sends: number,
  resendAfterSeconds: number,
): number {
  if (flow === 'login' && sends === 1) return 0;
  return Math.max(limits.resendGapSeconds, resendAfterSeconds);
}
