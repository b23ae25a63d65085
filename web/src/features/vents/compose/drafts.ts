import { emotions, type Emotion } from '@unsaid/contract';
import { draftKey, draftPrefix } from '../../../lib/session.ts';
import { localStore } from '../../../lib/storage.ts';

/**
 * The draft of a vent, stored on this device until it is posted. Bound to the account: after an expired
 * session it is still there for the same account. `session.ts` deletes it at log-out, and when another
 * account signs in.
 */
export interface VentDraft {
  readonly title: string;
  readonly text: string;
  readonly emotion: Emotion | null;
  readonly hashtags: readonly string[];
  /** Text in the hashtag field of which no chip was made yet. */
  readonly openHashtag: string;
  /** Whether comments are allowed. Undefined until chosen; the profile's setting applies then. */
  readonly allowComments?: boolean | undefined;
  /**
   * Idempotency key of the attempt to post this draft, so that a retry after a lost response does not post
   * twice.
   */
  readonly attempt?: string | undefined;
}

export const emptyDraft: VentDraft = { title: '', text: '', emotion: null, hashtags: [], openHashtag: '' };

/** Expiry of abandoned drafts: the phone may be shared. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

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

/** Whether there is something to finish: a bare choice about comments is not. */
export function hasWords(draft: VentDraft): boolean {
  return !isEmpty({ ...draft, allowComments: undefined });
}

/** Reads the account's draft, and deletes expired drafts of any account. */
export function readDraft(accountId: string, now = Date.now()): VentDraft {
  for (const key of localStore.keys()) {
    if (!key.startsWith(draftPrefix)) continue;
    const draft = parse(localStore.get(key));
    if (!draft || now - draft.savedAt > maxAgeMs) localStore.set(key, null);
  }
  const draft = parse(localStore.get(draftKey(accountId)));
  if (!draft) return emptyDraft;
  const { savedAt: _, ...rest } = draft;
  return rest;
}

/** Called on every key press, so that nothing is lost when the page is closed. */
export function saveDraft(accountId: string, draft: VentDraft, now = Date.now()): void {
  localStore.set(draftKey(accountId), isEmpty(draft) ? null : JSON.stringify({ ...draft, savedAt: now }));
}

export function removeDraft(accountId: string): void {
  saveDraft(accountId, emptyDraft);
}
