import type { Budget, PowDifficulty } from '@unsaid/contract';

/**
 * Rate limits of codes. Each code costs money or is a guess at an account, so the windows are exact. All counts are
 * multiplied by LIMITS_SCALE.
 */
export interface CodeBudget extends Budget {
  /** A soft limit: a request over it needs proof of work. A hard limit would let a stranger lock others out. */
  readonly work?: PowDifficulty;
  /** The last part of the limit, reserved for known devices. */
  readonly reserved?: number;
  /** Times are kept in steps of this length: at most one too strict, and a copy of Redis tells less. */
  readonly stepSeconds?: number;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export const codeBudgets = {
  /** Twilio allows 5 in 10 minutes, Auth0 10 an hour. */
  sendsPerNumber: [
    { limit: 5, windowSeconds: hour },
    { limit: 10, windowSeconds: day },
  ],
  /**
   * Indian carriers put thousands of people behind one address, so proof of work comes early and rejection late.
   * Firebase rejects at 500 an hour.
   */
  sendsPerAddress: [
    { limit: 5, windowSeconds: 10 * minute, work: 'harder' },
    { limit: 60, windowSeconds: hour },
    { limit: 300, windowSeconds: day },
  ],
  /** The number without its last four digits: SMS pumping rents numbers as ranges. */
  sendsPerPrefix: [{ limit: 10, windowSeconds: hour, work: 'usual' }],
  /** More sign-ins an hour than the daily ceiling could sustain. */
  sendsToHomeCountry: [{ limit: 1000, windowSeconds: hour, work: 'usual' }],
  /** Per country. Few users live in each of them, and most pumped numbers do. */
  sendsToOtherCountry: [{ limit: 20, windowSeconds: hour, work: 'usual' }],
  /** The first codes of a known device, so that a flood cannot lock the owner out. */
  sendsPerKnownDevice: [{ limit: 3, windowSeconds: hour }],
  /**
   * Attempts by callers who did not request the code themselves. Firebase: 150 an hour. A caller who did request it is
   * bounded by the attempts of that code, and is never rejected for what others at the same address do.
   */
  triesWithoutChallengePerAddress: [{ limit: 150, windowSeconds: hour }],
  /**
   * Wrong attempts over all numbers and addresses: 2,000 a day for a year guess 0.73 accounts. Beyond them requesting
   * a code needs proof of work; answering one never does.
   */
  failuresByService: [{ limit: 2000, windowSeconds: day, work: 'usual' }],
  /**
   * Lemmy 10 an hour, Firebase 100; a shared address must not be locked out. The proof of work is required with the
   * next code that is requested.
   */
  newAccountsPerAddress: [
    { limit: 10, windowSeconds: hour, work: 'usual' },
    { limit: 200, windowSeconds: hour },
  ],
  /** A home line with IPv6 has 256 addresses (/64 in a /56). Phones of one carrier may share a network, too. */
  newAccountsPerNetwork: [
    { limit: 30, windowSeconds: hour, work: 'usual' },
    { limit: 200, windowSeconds: hour },
  ],
  /** The SMS ceiling: the most that codes may cost in a day. Alerts at 50, 80 and 100 %. `withCeiling` sets another. */
  sendsByService: [
    { limit: 30, windowSeconds: minute, reserved: 5 },
    { limit: 5000, windowSeconds: day, stepSeconds: minute, reserved: 500 },
  ],
} as const satisfies Record<string, readonly CodeBudget[]>;

/** As in the configuration. */
export interface SmsCeiling {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The reserve for known devices stays a sixth and a tenth of it. */
export const withCeiling = ({ perMinute, perDay }: SmsCeiling) => ({
  ...codeBudgets,
  sendsByService: [
    { limit: perMinute, windowSeconds: minute, reserved: Math.ceil(perMinute / 6) },
    { limit: perDay, windowSeconds: day, stepSeconds: minute, reserved: Math.ceil(perDay / 10) },
  ],
});

export type CodeBudgetName = keyof typeof codeBudgets;

/**
 * Guard against SMS pumping, where codes are requested and never answered. While a country or prefix has at least
 * `minSends` in the window and fewer than `minShare` of them verified, each further code needs proof of work.
 */
export const conversionBreaker = {
  windowSeconds: hour,
  /** With fewer sends a share says nothing. Multiplied by LIMITS_SCALE. */
  minSends: 20,
  /** After it was last open a lower threshold applies, or a patient pump would get 20 free codes every hour. */
  probationSeconds: 2 * hour,
  minSendsOnProbation: 5,
  /** Four in five codes are used; with resends, at least every other one. */
  minShare: 0.2,
} as const;
