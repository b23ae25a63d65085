/**
 * How often things may be done. Every number here is multiplied by LIMITS_SCALE
 * (1 in production, 20 in development and tests).
 */
export interface Budget {
  readonly limit: number;
  readonly windowSeconds: number;
  /** For accounts of the last day or two, where it is less: throwaway accounts are made to flood. */
  readonly newcomerLimit?: number;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Per account, except where the name says otherwise. */
export const budgets = {
  // Mastodon's figures: generous for people, tight for scrapers.
  callsPerToken: [{ limit: 300, windowSeconds: 5 * minute }],
  callsPerUser: [{ limit: 1500, windowSeconds: 5 * minute }],
  callsPerAddress: [{ limit: 300, windowSeconds: 5 * minute }],
  // A directory scraped one profile at a time is still a directory.
  profileViews: [
    { limit: 60, windowSeconds: hour },
    { limit: 200, windowSeconds: day },
  ],
  // Enough to find a name one likes, too few to squat on many.
  username: [
    { limit: 3, windowSeconds: day },
    { limit: 10, windowSeconds: 30 * day },
  ],
  profileEdits: [{ limit: 20, windowSeconds: hour }],
  // Nobody guesses 140 bits; this is for whoever tries to keep the database busy with it.
  recoveries: [{ limit: 10, windowSeconds: hour }],
  // Lemmy 6 in 10 minutes, Discourse 20 a day: a bad night may need more than either.
  vents: [
    { limit: 10, windowSeconds: 10 * minute },
    { limit: 30, windowSeconds: day, newcomerLimit: 15 },
  ],
  comments: [
    { limit: 20, windowSeconds: 10 * minute },
    { limit: 200, windowSeconds: day, newcomerLimit: 40 },
  ],
  reactions: [
    { limit: 120, windowSeconds: 5 * minute },
    { limit: 1000, windowSeconds: day, newcomerLimit: 300 },
  ],
  reports: [
    { limit: 10, windowSeconds: hour },
    { limit: 20, windowSeconds: day, newcomerLimit: 5 },
  ],
  deletions: [{ limit: 30, windowSeconds: 30 * minute }],
  searches: [{ limit: 30, windowSeconds: minute }],
  // Each may look for new people, which is the dearest thing one can ask for.
  suggestions: [{ limit: 30, windowSeconds: minute }],
  // More answers than anybody has suggestions.
  matchAnswers: [
    { limit: 60, windowSeconds: 10 * minute },
    { limit: 200, windowSeconds: day },
  ],
} as const satisfies Record<string, readonly Budget[]>;

export type BudgetName = keyof typeof budgets;

/** Sending and checking codes: money and accounts are stolen here, so windows are exact. */
export const codeBudgets = {
  /** Twilio allows 5 in 10 minutes, Auth0 10 an hour. */
  sendsPerNumber: [
    { limit: 5, windowSeconds: hour },
    { limit: 10, windowSeconds: day },
  ],
  /** Indian carriers put thousands behind one address: do not block early. */
  sendsPerAddress: [
    { limit: 60, windowSeconds: hour },
    { limit: 300, windowSeconds: day },
  ],
  /** A device that has signed in to this number before, so that a flood cannot lock its owner out. */
  sendsPerKnownDevice: [{ limit: 3, windowSeconds: hour }],
  failuresPerAddress: [{ limit: 150, windowSeconds: hour }],
  /** 10 tries for a device of the owner, whatever strangers do meanwhile. */
  failuresPerKnownDevice: [{ limit: 10, windowSeconds: hour }],
  /** Wrong codes in a row on a number before all but known devices wait. NIST allows 100. */
  failuresInARow: [{ limit: 50, windowSeconds: day }],
  newAccountsPerAddress: [{ limit: 200, windowSeconds: hour }],
  /** What a day of codes may cost at most; alerts at half, four fifths and all of it. */
  sendsByService: [
    { limit: 30, windowSeconds: minute },
    { limit: 5000, windowSeconds: day },
  ],
} as const satisfies Record<string, readonly Budget[]>;

export type CodeBudgetName = keyof typeof codeBudgets;
