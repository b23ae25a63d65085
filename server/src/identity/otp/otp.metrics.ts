import type { Logger } from '../../platform/logger.ts';
import { defineMetrics } from '../../platform/metrics.ts';

export const otpMetrics = defineMetrics(({ counter, gauge }) => ({
  codesSent: counter(
    'unsaid_codes_sent_total',
    'One-time codes handed to SMS delivery, by final outcome',
    'outcome',
  ),
  codeComparisons: counter(
    'unsaid_code_comparisons_total',
    'Submitted codes that were compared with a stored code',
  ),
  codesVerified: counter(
    'unsaid_code_verifications_total',
    'Code verification attempts, by outcome',
    'outcome',
  ),
  /** Alerts fire at 0.5, 0.8 and 1. */
  smsCeilingSpent: gauge('unsaid_sms_ceiling_spent_ratio', 'Used share of the daily SMS ceiling, 0 to 1'),
  /** At 1 every code request requires proof of work. */
  failedTriesSpent: gauge(
    'unsaid_failed_tries_spent_ratio',
    'Used share of the daily wrong codes that need no proof of work, 0 to 1',
  ),
  powRequired: counter(
    'unsaid_pow_required_total',
    'Requests that required proof of work, by the budget or breaker that required it',
    'reason',
  ),
  powSubmitted: counter(
    'unsaid_pow_submitted_total',
    'Proof-of-work solutions submitted, by outcome',
    'outcome',
  ),
  smsConversionLow: counter(
    'unsaid_sms_conversion_low_total',
    'Times the SMS conversion breaker opened: too few codes sent to a country or prefix were verified',
    'scope',
  ),
}));

export type SpendingAlerts = ReturnType<typeof createSpendingAlerts>;

/** Log lines, once per process, when the used share of a budget of the whole service crosses a threshold upwards. */
export function createSpendingAlerts(logger: Logger) {
  const alertAt = (event: string, thresholds: readonly number[]) => {
    let last = 0;
    return (share: number): void => {
      const reached = thresholds.filter((threshold) => share >= threshold).length;
      if (reached > last) logger.warn({ event, count: Math.round((thresholds[reached - 1] ?? 0) * 100) });
      last = reached;
    };
  };
  return {
    smsCeiling: alertAt('sms_ceiling_spent', [0.5, 0.8, 1]),
    failures: alertAt('failed_tries_spent', [1]),
  };
}
