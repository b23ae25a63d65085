import { limits, type WorkSize } from '@unsaid/contract';
import type { Limiter, Refusal, Taken } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ConversionState, ConversionStore } from './conversion.store.ts';

/** Which budgets a code and an answer to one draw on, and what a known device has besides when it asks. */

interface Asker {
  readonly phoneKey: string;
  readonly addressKey: string;
  /** The challenge that the code will belong to. */
  readonly challengeId: string;
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
  /** For an answer by somebody who did not ask for the code here. */
  takeTryWithoutChallenge(addressKey: string): Promise<Refusal | null>;
  noteVerified(area: Area | null): Promise<void>;
  /** Of every wrong answer alike, whether or not there was a code to compare it with. */
  noteFailure(): Promise<void>;
  watchCeiling(): Promise<void>;
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

  async function takeEither(asker: Asker): Promise<Taken> {
    const { phoneKey, addressKey, challengeId, area, isKnownDevice, done } = asker;
    // By the caller's own challenge: how often others ask for this number must not show.
    const spacing = { subject: challengeId, ...gap };
    const shared = await limiter.takeFromWindows(
      [
        { budget: 'sendsPerNumber', subject: phoneKey, isToldLast: true },
        { budget: 'sendsPerAddress', subject: addressKey },
        ...(area
          ? ([
              { budget: 'sendsPerPrefix', subject: area.prefix },
              { budget: area.isHome ? 'sendsToHomeCountry' : 'sendsToOtherCountry', subject: area.country },
            ] as const)
          : []),
        { budget: 'sendsByService', subject: 'all' },
        // What costs work because of wrong answers or new accounts is paid for here: answering a code costs none.
        { budget: 'failuresByService', subject: 'all', isPeek: true },
        { budget: 'newAccountsPerAddress', subject: addressKey, isPeek: true },
      ],
      { spacing, done, due: await doubtIn(area) },
    );
    const isTaken = !shared.refusal && !shared.workDue;
    if (isTaken || !isKnownDevice || shared.refusal?.budget === 'spacing') return shared;
    // Strangers may have used up whatever this number shares with them: a device that belongs to it has a budget
    // of its own, and the last of the service's.
    const own = await limiter.takeFromWindows(
      [
        { budget: 'sendsPerKnownDevice', subject: phoneKey },
        { budget: 'sendsByService', subject: 'all', mayUseReserve: true },
      ],
      { spacing },
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

    async takeTryWithoutChallenge(addressKey) {
      const { refusal } = await limiter.takeFromWindows([
        { budget: 'triesWithoutChallengePerAddress', subject: addressKey },
      ]);
      return refusal;
    },

    async noteVerified(area) {
      await conversionOf(area, (store, subjects) => store.count('verified', subjects));
    },

    async noteFailure() {
      const failures = { budget: 'failuresByService', subject: 'all' } as const;
      await limiter.takeFromWindows([failures], { done: 'any' });
      const share = await limiter.usedShare(failures);
      metrics.failedTriesSpent.set(share);
      sayFailures(share);
    },

    async watchCeiling() {
      const share = await limiter.usedShare({ budget: 'sendsByService', subject: 'all' });
      metrics.smsCeilingSpent.set(share);
      sayCeiling(share);
    },
  };
}
