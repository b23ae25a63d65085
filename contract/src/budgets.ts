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
  // Mastodon's figures: generous for people. What scrapers come for is counted by itself (`ventsRead`).
  callsPerToken: [{ limit: 300, windowSeconds: 5 * minute }],
  callsPerUser: [{ limit: 1500, windowSeconds: 5 * minute }],
  callsPerAddress: [{ limit: 300, windowSeconds: 5 * minute }],
  // Other people's vents, however they are asked for: an archive of all is the ground for finding out who wrote what, and
  // keeps what people delete. Besides these at once, a page of five every nine seconds for as long as one likes.
  ventsRead: [{ limit: 2000, windowSeconds: hour }],
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
  // A harassed author closes several vents in one sitting; a script that flips them all day is no author.
  ventSwitches: [{ limit: 60, windowSeconds: hour }],
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

/** Proof of work: the largest number that may have to be tried, which is twice what has to be tried on average. */
export const workSizes = {
  /** 1.5 s on a slow core at worst: a flood pays, a person hardly notices. */
  usual: 100_000,
  /** Where many codes leave one address. Twice is all a cheap phone can be asked for. */
  harder: 200_000,
} as const;

export type WorkSize = keyof typeof workSizes;

/** Of codes: money and accounts are stolen here, so windows are exact. */
export interface CodeBudget extends Budget {
  /** What is over the limit is not refused but costs work: a stranger must not be able to close a door by knocking. */
  readonly work?: WorkSize;
  /** The last of them are for devices that have signed in to the number before. */
  readonly reserved?: number;
}

export const codeBudgets = {
  /** Twilio allows 5 in 10 minutes, Auth0 10 an hour. */
  sendsPerNumber: [
    { limit: 5, windowSeconds: hour },
    { limit: 10, windowSeconds: day },
  ],
  /** Indian carriers put thousands behind one address: ask for work early, refuse late. Firebase refuses at 500 an hour. */
  sendsPerAddress: [
    { limit: 5, windowSeconds: 10 * minute, work: 'harder' },
    { limit: 60, windowSeconds: hour },
    { limit: 300, windowSeconds: day },
  ],
  /** Number minus its last four digits: numbers that are pumped for money are rented as ranges. */
  sendsPerPrefix: [{ limit: 10, windowSeconds: hour, work: 'usual' }],
  /** More sign-ins an hour than the daily ceiling would bear for long. */
  sendsToHomeCountry: [{ limit: 1000, windowSeconds: hour, work: 'usual' }],
  /** Each of the others: hardly anybody lives there, and pumped numbers mostly do. */
  sendsToOtherCountry: [{ limit: 20, windowSeconds: hour, work: 'usual' }],
  /** A device that has signed in to this number before, so that a flood cannot lock its owner out. */
  sendsPerKnownDevice: [{ limit: 3, windowSeconds: hour }],
  /**
   * Answers by callers who did not ask for the code themselves. Firebase: 150 an hour. Whoever did ask is bounded by
   * the tries of that code, and is never refused for what others at the same address do.
   */
  triesWithoutChallengePerAddress: [{ limit: 150, windowSeconds: hour }],
  /**
   * Guesses sprayed over many numbers and addresses: 2,000 a day all year are 0.73 accounts. Beyond them asking for
   * a code costs work; answering one never does.
   */
  failuresByService: [{ limit: 2000, windowSeconds: day, work: 'usual' }],
  /** Lemmy 10 an hour, Firebase 100; a shared address must not be shut out. The work is due with the next code. */
  newAccountsPerAddress: [
    { limit: 10, windowSeconds: hour, work: 'usual' },
    { limit: 200, windowSeconds: hour },
  ],
  /** What a day of codes may cost at most; alerts at half, four fifths and all of it. */
  sendsByService: [
    { limit: 30, windowSeconds: minute, reserved: 5 },
    { limit: 5000, windowSeconds: day, reserved: 500 },
  ],
} as const satisfies Record<string, readonly CodeBudget[]>;

export type CodeBudgetName = keyof typeof codeBudgets;

/**
 * Codes that are asked for and never answered are how numbers are pumped. Of a country or a prefix, over the
 * last hour: with this many sends of which less than this share came back, every further one costs work.
 */
export const conversionBreaker = {
  windowSeconds: hour,
  /** Below this a share says nothing. Multiplied by LIMITS_SCALE as budgets are. */
  minSends: 20,
  /** So long after it was last open so few suffice, or a patient pump would get twenty free every hour. */
  probationSeconds: 2 * hour,
  minSendsOnProbation: 5,
  /** People who ask for a code use it, four times in five; with resends, every other time at least. */
  minShare: 0.2,
} as const;
