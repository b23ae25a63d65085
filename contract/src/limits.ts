/** Limits a person can meet on screen. Counted in graphemes where it is text. */
export const limits = {
  otpLength: 6,
  otpLifeSeconds: 300,
  otpTries: 5,
  /** Of those, for callers who do not present the challenge: a stranger cannot use up the owner's tries. */
  otpTriesWithoutChallenge: 2,
  resendGapSeconds: 30,
  phoneChars: 20,
  usernameChars: 20,
  /** A run of digits this long in a name is probably somebody's number. */
  usernameDigitRun: 7,
  bio: 300,
  bioBytes: 2048,
  profileListItems: 20,
  profileListItem: 40,
  ventTitle: 100,
  ventText: 2000,
  hashtags: 10,
  hashtag: 30,
  comment: 500,
  reportDetails: 500,
  query: 100,
  feedPageSize: 5,
  /** The pager has ten pages; beyond them, Older goes on. */
  pagerPages: 10,
  /** My Vents takes as many at once as its ten pages of five hold. */
  myVentsFetched: 50,
  maxPage: 1000,
  maxPageSize: 100,
  /** How many comments come along with a vent. */
  commentsShown: 20,
  /** "Since you were here" looks at this many of one's newest vents. */
  ventsWatched: 64,
  sinceCursorChars: 2048,
  /** How many feelings a profile names. */
  feelings: 3,
  /** Unanswered pairs that one's own searches made. */
  openSuggestions: 10,
  /** For whoever has named no feelings: five places stay free for people who fit once they do. */
  openSuggestionsUnnamed: 5,
  /** Pairs that the searches of others make with somebody in 14 days, whatever they answer: an answer frees no place. */
  foundByOthers: 20,
  /** As many more by the searches of newcomers, so that these find people where everybody has been found. */
  foundByNewcomers: 10,
  /** New pairs that an account's own searches make in a day, and in each of its first two days. */
  newPairsADay: 20,
  newPairsAtFirst: 10,
  matchReasons: 2,
  sessionsPerAccount: 10,
  reauthMinutes: 10,
  /** How long signing up may take, until making a recovery code asks for a fresh code by SMS. */
  signUpMinutes: 30,
  /** 140 bits in groups, and room for the spaces people put in. */
  recoveryCodeChars: 64,
  /** How long an account can be brought back after its number has gone to another. */
  broughtBackDays: 30,
} as const;

/** A counter is shown from this share of a limit on. */
export const counterShownFrom = 0.8;
