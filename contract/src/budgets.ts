/**
 * Rate limits. Every count here is multiplied by LIMITS_SCALE (1 in production, 20 in development and tests).
 */
export interface Budget {
  readonly limit: number;
  readonly windowSeconds: number;
  /** A lower limit for accounts that are a day or two old: floods use throwaway accounts. */
  readonly newcomerLimit?: number;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Per account, unless the name says otherwise. */
export const budgets = {
  // Mastodon's figures: generous for people. Scraping is limited separately (`ventsRead`).
  callsPerToken: [{ limit: 300, windowSeconds: 5 * minute }],
  callsPerUser: [{ limit: 1500, windowSeconds: 5 * minute }],
  callsPerAddress: [{ limit: 300, windowSeconds: 5 * minute }],
  // Signed-in moderators, who may share the address of one office or VPN.
  consoleCallsPerAddress: [{ limit: 3000, windowSeconds: 5 * minute }],
  // Vents of others, by any call. An archive of all vents helps to find out who wrote what, and keeps what people delete.
  // The refill rate allows a page of five every nine seconds without end.
  ventsRead: [{ limit: 2000, windowSeconds: hour }],
  // One every ten seconds, which nobody reads for long. Who looks for the vulnerable uses throwaway accounts.
  listens: [
    { limit: 60, windowSeconds: 10 * minute },
    { limit: 400, windowSeconds: day, newcomerLimit: 100 },
  ],
  // Against scraping all profiles one by one.
  profileViews: [
    { limit: 60, windowSeconds: hour },
    { limit: 200, windowSeconds: day },
  ],
  // Enough to choose a name, too few to squat on many.
  username: [
    { limit: 3, windowSeconds: day },
    { limit: 10, windowSeconds: 30 * day },
  ],
  profileEdits: [{ limit: 20, windowSeconds: hour }],
  // 140 bits cannot be guessed; this bounds the database load of trying.
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
  // A notice can be appealed once.
  appeals: [{ limit: 10, windowSeconds: day }],
  // Each call encrypts the whole list again.
  choices: [
    { limit: 60, windowSeconds: 10 * minute },
    { limit: 400, windowSeconds: day },
  ],
  deletions: [{ limit: 30, windowSeconds: 30 * minute }],
  // A harassed author closes several vents in one sitting; toggling all day is a script.
  ventSwitches: [{ limit: 60, windowSeconds: hour }],
  // In words, two at least: what is found nowhere makes a search read the newest 1,000 vents, and each further word again.
  searches: [{ limit: 60, windowSeconds: minute }],
  // Each call may search for candidates, the most expensive operation.
  suggestions: [{ limit: 30, windowSeconds: minute }],
  // More than the suggestions a person can have.
  matchAnswers: [
    { limit: 60, windowSeconds: 10 * minute },
    { limit: 200, windowSeconds: day },
  ],
  // A connection lives for half an hour. This leaves room for five tabs on a train that loses its network every minute.
  liveTickets: [{ limit: 30, windowSeconds: 5 * minute }],
} as const satisfies Record<string, readonly Budget[]>;

export type BudgetName = keyof typeof budgets;
