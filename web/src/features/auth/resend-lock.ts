import { limits } from '@unsaid/contract';

/**
 * Cooldown of Resend after a code was sent. Sign-up: 30 s after every send. Sign-in: none before the first
 * resend. A longer cooldown from the server takes precedence.
 */
export function resendLockSeconds(
  flow: 'signup' | 'login',
  sends: number,
  resendAfterSeconds: number,
): number {
  if (flow === 'login' && sends === 1) return 0;
  return Math.max(limits.resendGapSeconds, resendAfterSeconds);
}
