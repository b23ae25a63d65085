import type { IdentityBase } from '../../kernel/base.ts';
import { limits, type PowDifficulty } from '@unsaid/contract';
import type { Rejection } from '../../platform/limiter.ts';
import type { CodeLimiter, ConsumeResult } from './code-limiter.ts';
import { otpMetrics } from './otp.metrics.ts';
import type { ConversionState, ConversionStore } from './sms-conversion.store.ts';

/** The budgets that sending and verifying a code consume, and the extra budget of a known device. */

interface LimitSubject {
  readonly phoneKey: string;
  readonly addressKey: string;
  readonly networkKey: string;
  /** The challenge that the code will belong to. */
  readonly challengeId: string;
  /** Null for a test number, to which no SMS is sent. */
  readonly region: NumberRegion | null;
  readonly isKnownDevice: boolean;
  /** The proof of work in the request. */
  readonly powGiven: PowDifficulty | null;
}

export interface NumberRegion {
  readonly country: string;
  readonly prefix: string;
  readonly isHome: boolean;
}

interface OtpBudgetsDeps extends Pick<IdentityBase, 'logger' | 'metrics'> {
  readonly limiter: CodeLimiter;
  /** Null where messages cost nothing. */
  readonly conversion: ConversionStore | null;
}

export const resendCooldown = {
  free: 2,
  cooldownMs: limits.resendGapSeconds * 1000,
  resetAfterMs: limits.otpLifeSeconds * 1000,
};

export interface OtpBudgets {
  consumeSend(subject: LimitSubject): Promise<ConsumeResult>;
  /** For an attempt by a caller without the challenge cookie. */
  consumeAttempt(addressKey: string): Promise<Rejection | null>;
  recordVerified(region: NumberRegion | null): Promise<void>;
  /** Counts every wrong attempt, whether or not there was a code: otherwise the count would reveal live codes. */
  recordFailure(): Promise<void>;
  reportSmsCeiling(): Promise<void>;
}

export function createOtpBudgets({ limiter, logger, conversion, ...deps }: OtpBudgetsDeps): OtpBudgets {
  const metrics = otpMetrics(deps.metrics);
  const scopes = ['country', 'prefix'] as const;

  async function readConversion(
    region: NumberRegion | null,
    ask: (store: ConversionStore, subjects: readonly string[]) => Promise<ConversionState[]>,
  ): Promise<ConversionState[]> {
    if (!conversion || !region) return [];
    const states = await ask(
      conversion,
      scopes.map((scope) => region[scope]),
    );
    for (const [index, scope] of scopes.entries()) {
      if (states[index] !== 'opened') continue;
      metrics.smsConversionLow.inc({ scope });
      logger.warn({ event: 'sms_conversion_low', outcome: scope });
    }
    return states;
  }

  async function lowConversionReason(region: NumberRegion | null) {
    const states = await readConversion(region, (store, subjects) => store.read(subjects));
    const scope = scopes.find((_, index) => states[index] === 'open' || states[index] === 'opened');
    return scope ? ({ reason: `conversion by ${scope}`, work: 'usual' } as const) : null;
  }

  async function consumeOwnOrShared(subject: LimitSubject): Promise<ConsumeResult> {
    const { phoneKey, addressKey, networkKey, challengeId, region, isKnownDevice, powGiven } = subject;
    // Keyed by the caller's own challenge: the cooldown must not reveal how often others request codes for this number.
    const cooldown = { subject: challengeId, ...resendCooldown };
    if (isKnownDevice) {
      // First, so that it needs nothing that strangers can use up, and leaves what is shared to newcomers at its address.
      const own = await limiter.consume(
        [
          { budget: 'sendsPerKnownDevice', subject: phoneKey },
          { budget: 'sendsByService', subject: 'all', useReserve: true },
        ],
        { cooldown },
      );
      if (!own.rejection || own.rejection.budget === 'cooldown') return own;
    }
    return limiter.consume(
      [
        { budget: 'sendsPerNumber', subject: phoneKey, isToldLast: true },
        { budget: 'sendsPerAddress', subject: addressKey },
        ...(region
          ? ([
              { budget: 'sendsPerPrefix', subject: region.prefix },
              {
                budget: region.isHome ? 'sendsToHomeCountry' : 'sendsToOtherCountry',
                subject: region.country,
              },
            ] as const)
          : []),
        { budget: 'sendsByService', subject: 'all' },
        // Wrong attempts and new accounts cost proof of work here, when a code is requested; verifying never does.
        { budget: 'failuresByService', subject: 'all', peek: true },
        { budget: 'newAccountsPerAddress', subject: addressKey, peek: true },
        { budget: 'newAccountsPerNetwork', subject: networkKey, peek: true },
      ],
      { cooldown, powGiven, powRequired: await lowConversionReason(region) },
    );
  }

  /** Logs when the ratio crosses a threshold upwards, once per process. */
  function createThresholdAlert(event: string, thresholds: readonly number[]) {
    let last = 0;
    return (share: number): void => {
      const reached = thresholds.filter((threshold) => share >= threshold).length;
      if (reached > last) logger.warn({ event, count: Math.round((thresholds[reached - 1] ?? 0) * 100) });
      last = reached;
    };
  }
  const alertSmsCeiling = createThresholdAlert('sms_ceiling_spent', [0.5, 0.8, 1]);
  const alertFailures = createThresholdAlert('failed_tries_spent', [1]);

  return {
    async consumeSend(subject) {
      const taken = await consumeOwnOrShared(subject);
      if (!taken.rejection && !taken.powRequired) {
        await readConversion(subject.region, (store, subjects) => store.count('sent', subjects));
      }
      return taken;
    },

    async consumeAttempt(addressKey) {
      const { rejection } = await limiter.consume([
        { budget: 'triesWithoutChallengePerAddress', subject: addressKey },
      ]);
      return rejection;
    },

    async recordVerified(region) {
      await readConversion(region, (store, subjects) => store.count('verified', subjects));
    },

    async recordFailure() {
      const failures = { budget: 'failuresByService', subject: 'all' } as const;
      await limiter.consume([failures], { powGiven: 'any' });
      const share = await limiter.usageRatio(failures);
      metrics.failedTriesSpent.set(share);
      alertFailures(share);
    },

    async reportSmsCeiling() {
      const share = await limiter.usageRatio({ budget: 'sendsByService', subject: 'all' });
      metrics.smsCeilingSpent.set(share);
      alertSmsCeiling(share);
    },
  };
}
