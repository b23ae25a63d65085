import { newVent } from '@unsaid/contract';
import * as z from 'zod/mini';
import { createDraft } from '../../../lib/drafts.ts';
import { hasWords } from './stored-draft.ts';

const { isSure: _, ...fields } = newVent.shape;

/** The draft of a vent: every field of the request, and what only the form needs. */
const drafts = createDraft(
  'vent',
  z.object({
    ...fields,
    /** Text in the hashtag field of which no chip was made yet. */
    openHashtag: z.string(),
    /** Goes out a little later instead of at once. Undefined until somebody chooses. */
    isHeld: z.optional(z.boolean()),
    /** The title was typed, or taken back, by hand: it no longer follows the first line. */
    hasOwnTitle: z.optional(z.boolean()),
    /** Idempotency key of the attempt to post this draft, so that a retry after a lost response does not post twice. */
    attempt: z.optional(z.string()),
  }),
);

export const emptyDraft = { title: '', text: '', hashtags: [] as readonly string[], openHashtag: '' };
export type VentDraft = typeof emptyDraft & Omit<Parameters<typeof drafts.save>[1], keyof typeof emptyDraft>;

export function readDraft(accountId: string): VentDraft {
  const { hashtags = [], ...rest } = drafts.read(accountId) ?? {};
  return { ...emptyDraft, ...rest, hashtags };
}

/** Calls back with what another tab has just written. */
export function onDraftFromOtherTab(accountId: string, follow: (draft: VentDraft) => void): () => void {
  return drafts.onChangeInOtherTab(accountId, () => follow(readDraft(accountId)));
}

/** Without words no choice is kept: made in advance for another vent, it would show which are by one author. */
export function saveDraft(accountId: string, draft: VentDraft): void {
  drafts.save(accountId, hasWords(draft) ? draft : { ...draft, need: undefined, keepDays: undefined });
}
