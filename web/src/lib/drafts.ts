import { emotions, type Emotion } from '@unsaid/contract';
import { draftKey, draftPrefix } from './session.ts';

/**
 * What somebody is writing, kept on this device until it is said. Bound to the account: after a session has run out
 * it waits for the same person. `session.ts` removes it when anybody logs out here, or somebody else signs in.
 */
export interface VentDraft {
  readonly title: string;
  readonly text: string;
  readonly emotion: Emotion | null;
  readonly hashtags: readonly string[];
  /** What stands in the box of hashtags and is none yet. */
  readonly openHashtag: string;
  /** Whether people may comment on it; not set until chosen, and then as the profile's switch stands. */
  readonly allowComments?: boolean | undefined;
  /** Of the attempt to post exactly this, so that trying again after a lost answer does not say it twice. */
  readonly attempt?: string | undefined;
}

export const emptyDraft: VentDraft = { title: '', text: '', emotion: null, hashtags: [], openHashtag: '' };

/** On a shared phone, words that nobody came back for do not wait for ever. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parse(stored: string | null): (VentDraft & { readonly savedAt: number }) | undefined {
  if (stored === null) return undefined;
  try {
    const value: unknown = JSON.parse(stored);
    if (!isRecord(value)) return undefined;
    const { title, text, emotion, hashtags, openHashtag, allowComments, attempt, savedAt } = value;
    return {
      title: typeof title === 'string' ? title : '',
      text: typeof text === 'string' ? text : '',
      emotion: emotions.find((one) => one === emotion) ?? null,
      hashtags: Array.isArray(hashtags) ? hashtags.filter((tag) => typeof tag === 'string') : [],
      openHashtag: typeof openHashtag === 'string' ? openHashtag : '',
      allowComments: typeof allowComments === 'boolean' ? allowComments : undefined,
      attempt: typeof attempt === 'string' ? attempt : undefined,
      savedAt: typeof savedAt === 'number' ? savedAt : 0,
    };
  } catch {
    return undefined;
  }
}

function isEmpty({ title, text, emotion, hashtags, openHashtag, allowComments }: VentDraft): boolean {
  return (
    title === '' &&
    text === '' &&
    emotion === null &&
    hashtags.length === 0 &&
    openHashtag === '' &&
    allowComments === undefined
  );
}

/** Reads the account's draft, and clears away any that were left too long ago, whoever's they are. */
export function readDraft(accountId: string, now = Date.now()): VentDraft {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(draftPrefix)) continue;
      const draft = parse(localStorage.getItem(key));
      if (!draft || now - draft.savedAt > keptMs) localStorage.removeItem(key);
    }
    const draft = parse(localStorage.getItem(draftKey(accountId)));
    if (!draft) return emptyDraft;
    const { savedAt: _, ...rest } = draft;
    return rest;
  } catch {
    // Where nothing can be kept, the page itself still holds what is written.
    return emptyDraft;
  }
}

/** On every key press, so that nothing is left to do when the page goes away. */
export function saveDraft(accountId: string, draft: VentDraft, now = Date.now()): void {
  try {
    if (isEmpty(draft)) localStorage.removeItem(draftKey(accountId));
    else localStorage.setItem(draftKey(accountId), JSON.stringify({ ...draft, savedAt: now }));
  } catch {
    // As above.
  }
}

export function removeDraft(accountId: string): void {
  saveDraft(accountId, emptyDraft);
}
