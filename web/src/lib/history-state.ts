import { getAccountId, shortHash } from './session.ts';

/** What an entry of the history may hold: a value of the type of each key. It ends with the tab, and survives a reload. */
const keys = {
  /** Read by the account that made the entry alone: on a shared phone, Back in the same tab leads to it. */
  own: {
    /** A typed search. Never in the URL: browsers record URLs, and suggest them to the next person. */
    typed: '',
    /** The filter by emotion, here for the same reason. */
    feelings: [] as readonly unknown[],
    /** The comment that a line of the inbox leads to: a URL would tell whose vent it is. */
    commentId: '',
    /** False for a line on another page: the inbox is not the entry before then. */
    isFromInbox: true,
    /** Beyond the tenth page of a list: the cursors of the pages between, for the way back. */
    trail: [] as readonly unknown[],
  },
  /** Tells nothing about a person. */
  public: {
    /** Token of the vent posted just now. It means something in memory alone. */
    posted: '',
    /** The list is scrolled to, and focused. */
    scrollsToList: true,
    isFromFeed: true,
    /** Where a vent was offered. */
    door: '',
    /** The step of a sign-in. */
    step: 'code',
    /** Where a sign-in leads. */
    returnTo: '',
  },
};

export type HistoryState = Partial<typeof keys.own & typeof keys.public>;

/** Marks an account by a hash of its id, as drafts do. */
function accountMark(): string | undefined {
  const accountId = getAccountId();
  return accountId === null ? undefined : shortHash(accountId);
}

/** The state of a new entry. */
export function toHistoryState(values: HistoryState): HistoryState & { readonly by?: string } {
  const by = accountMark();
  const isOwn = Object.keys(values).some((key) => Object.hasOwn(keys.own, key));
  return isOwn && by !== undefined ? { ...values, by } : values;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Without what is malformed, and without what another account put there. */
export function readHistoryState(state: unknown): HistoryState {
  if (!isRecord(state)) return {};
  const readable = { ...keys.public, ...(state['by'] === accountMark() && keys.own) };
  const isOfType = ([key, sample]: [string, unknown]) =>
    typeof state[key] === typeof sample && Array.isArray(state[key]) === Array.isArray(sample);
  return Object.fromEntries(
    Object.entries(readable)
      .filter(isOfType)
      .map(([key]) => [key, state[key]]),
  );
}
