/** Fixed limits that people can meet on screen. Text is counted in graphemes. */
export const limits = {
  otpLength: 6,
  otpLifeSeconds: 300,
  otpTries: 5,
  /** The part of `otpTries` for callers without the challenge cookie: a stranger cannot use up the owner's tries. */
  otpTriesWithoutChallenge: 2,
  resendGapSeconds: 30,
  phoneChars: 20,
  usernameChars: 20,
  /** A run of digits this long in a name is probably a phone number. */
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
  appeal: 1000,
  /** Vents and comments that a person can hide. */
  hiddenItems: 500,
  hiddenNames: 200,
  mutedWords: 50,
  mutedWord: 30,
  mutedWordBytes: 90,
  mutedHashtags: 50,
  query: 100,
  /** Of a search. Others are ignored. */
  searchWords: 8,
  feedPageSize: 5,
  /** Vents that a listener can ask for at once. */
  listenCount: 5,
  /** Pages with a number; beyond them the cursor ("Older") continues. */
  pagerPages: 10,
  /** My Vents fetches its ten pages of five at once. */
  myVentsFetched: 50,
  maxPage: 1000,
  maxPageSize: 100,
  /** Comments included with a vent. */
  commentsShown: 20,
  /** The inbox covers this many of a person's newest vents, newest comments and matches. */
  ventsWatched: 64,
  commentsWatched: 64,
  matchesWatched: 64,
  inboxLines: 50,
  /** The highest count in the inbox. It means "or more". */
  inboxCount: 99,
  inboxCursorChars: 4096,
  liveCountedChars: 256,
  /** Feelings that a profile can name. */
  feelings: 3,
  /** Open pairs made by a person's own searches. */
  openSuggestions: 10,
  /** The same without named feelings: the rest stays free for better candidates once feelings are named. */
  openSuggestionsUnnamed: 5,
  /** Pairs that searches of others make with a person in 14 days. An answer does not free a place. */
  foundByOthers: 20,
  /** Additional pairs by searches of newcomers, so that these find people where everybody has reached the limit. */
  foundByNewcomers: 10,
  /** New pairs by an account's own searches per day, and per day in its first two days. */
  newPairsADay: 20,
  newPairsAtFirst: 10,
  matchReasons: 2,
  commonInterests: 3,
  sessionsPerAccount: 10,
  reauthMinutes: 10,
  /** How long a number that was verified can be given an account. */
  joinMinutes: 10,
  /** Time after sign-up in which a recovery code can be made without reauth. */
  signUpMinutes: 30,
  /** Time to write a new recovery code down before it has to be confirmed. */
  recoveryConfirmMinutes: 30,
  recoveryProofChars: 200,
  /** 28 characters with separators, and room for spaces that people type. */
  recoveryCodeChars: 64,
  /** How long an account can be recovered after its number went to another account. */
  recoverableDays: 30,
  /** A recovery code opens an account after this long, unless somebody with the number stops it. */
  recoveryWaitHours: 72,
  /** How long after that: then it has to be asked for again. */
  recoveryOpenDays: 7,
  /** How long a code that was replaced or cancelled still works. */
  replacedCodeDays: 7,
  /** How long the inbox shows what happened to the account itself. */
  accountEventDays: 30,
} as const;

/** A character counter appears from this share of a limit on. */
export const counterShownFrom = 0.8;
