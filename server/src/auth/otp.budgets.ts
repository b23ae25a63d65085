import { limits, type WorkSize } from '@unsaid/contract';
import type { Limiter, Taken } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ConversionState, ConversionStore } from './conversion.store.ts';

/** Which budgets a code and an answer to one draw on, and what a known device has besides. */

interface Asker {
  readonly phoneKey: string;
  readonly addressKey: string;
  /** Where the number is at home; null for a test number, which no message goes to. */
  readonly area: Area | null;
  readonly isKnownDevice: boolean;
  /** The work that came along. */
  readonly done: WorkSize | null;
}

export interface Area {
  readonly country: string;
  readonly prefix: string;
  readonly isHome: boolean;
}

interface OtpBudgetsDeps {
  readonly limiter: Limiter;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Null where nobody pays for messages. */
  readonly conversion: ConversionStore | null;
}

export const gap = {
  free: 2,
  gapMs: limits.resendGapSeconds * 1000,
  forgetMs: limits.otpLifeSeconds * 1000,
};

export interface OtpBudgets {
  takeSend(asker: Asker): Promise<Taken>;
  takeTry(asker: Asker): Promise<Taken>;
  /** The number answered rightly: what strangers did wrong with it is forgiven. */
  noteVerified(asker: Pick<Asker, 'phoneKey' | 'area'>): Promise<void>;
  watchCeiling(): Promise<void>;
  watchFailures(): Promise<void>;
}

export function createOtpBudgets({ limiter, logger, metrics, conversion }: OtpBudgetsDeps): OtpBudgets {
  const scopes = ['country', 'prefix'] as const;

  async function conversionOf(
    area: Area | null,
    ask: (store: ConversionStore, subjects: readonly string[]) => Promise<ConversionState[]>,
  ): Promise<ConversionState[]> {
    if (!conversion || !area) return [];
    const states = await ask(
      conversion,
      scopes.map((scope) => area[scope]),
    );
    for (const [index, scope] of scopes.entries()) {
      if (states[index] !== 'opened') continue;
      metrics.conversionTrips.inc({ scope });
      logger.warn({ event: 'few_codes_come_back', outcome: scope });
    }
    return states;
  }

  async function doubtIn(area: Area | null) {
    const states = await conversionOf(area, (store, subjects) => store.look(subjects));
    const scope = scopes.find((_, index) => states[index] === 'open' || states[index] === 'opened');
    return scope ? ({ reason: `conversion by ${scope}`, work: 'usual' } as const) : null;
  }

  async function takeEither({ phoneKey, addressKey, area, isKnownDevice, done }: Asker): Promise<Taken> {
    const shared = await limiter.takeFromWindows(
      [
        { budget: 'sendsPerNumber', subject: phoneKey },
        { budget: 'sendsPerAddress', subject: addressKey },
        ...(area
          ? ([
              { budget: 'sendsPerPrefix', subject: area.prefix },
              { budget: area.isHome ? 'sendsToHomeCountry' : 'sendsToOtherCountry', subject: area.country },
            ] as const)
          : []),
        { budget: 'sendsByService', subject: 'all' },
      ],
      { spacing: { subject: phoneKey, ...gap }, done, due: await doubtIn(area) },
    );
    if ((!shared.refusal && !shared.workDue) || !isKnownDevice) return shared;
    // Strangers may have used up whatever this number shares with them: a device that belongs to it has a budget
    // of its own, and the last of the service's.
    const own = await limiter.takeFromWindows(
      [
        { budget: 'sendsPerKnownDevice', subject: phoneKey },
        { budget: 'sendsByService', subject: 'all', mayUseReserve: true },
      ],
      { spacing: { subject: `device:${phoneKey}`, ...gap } },
    );
    return own.refusal ? shared : own;
  }

  /** Tells at each step up, in every process that sees it. */
  function createAlarm(event: string, steps: readonly number[]) {
    let last = 0;
    return (share: number): void => {
      const reached = steps.filter((step) => share >= step).length;
      if (reached > last) logger.warn({ event, count: Math.round((steps[reached - 1] ?? 0) * 100) });
      last = reached;
    };
  }
  const sayCeiling = createAlarm('sms_ceiling_spent', [0.5, 0.8, 1]);
  const sayFailures = createAlarm('failed_tries_spent', [1]);

  return {
    async takeSend(asker) {
      const taken = await takeEither(asker);
      if (!taken.refusal && !taken.workDue) {
        await conversionOf(asker.area, (store, subjects) => store.count('sent', subjects));
      }
      return taken;
    },

    // Taken as a failure first and given back on success: parallel guesses cannot slip past the count.
    takeTry: ({ phoneKey, addressKey, isKnownDevice, done }) =>
      isKnownDevice
        ? limiter.takeFromWindows([{ budget: 'failuresPerKnownDevice', subject: phoneKey }])
        : limiter.takeFromWindows(
            [
              { budget: 'failuresPerAddress', subject: addressKey },
              { budget: 'failuresPerNumber', subject: phoneKey },
              { budget: 'failuresInARow', subject: phoneKey },
              { budget: 'failuresByService', subject: 'all' },
              // Asked before the code is compared, of known and unknown numbers alike.
              { budget: 'newAccountsPerAddress', subject: addressKey, isPeek: true },
            ],
            { done },
          ),

    async noteVerified({ phoneKey, area }) {
      await Promise.all([
        limiter.forgetWindow({ budget: 'failuresInARow', subject: phoneKey }),
        conversionOf(area, (store, subjects) => store.count('verified', subjects)),
      ]);
    },

    async watchCeiling() {
      const share = await limiter.usedShare({ budget: 'sendsByService', subject: 'all' });
      metrics.smsCeilingSpent.set(share);
      sayCeiling(share);
    },

    async watchFailures() {
      const share = await limiter.usedShare({ budget: 'failuresByService', subject: 'all' });
      metrics.failedTriesSpent.set(share);
      sayFailures(share);
    },
  };
}
