import * as z from 'zod/mini';
import { createDraft } from '../../../lib/drafts.ts';

/** Drafts of comments, by vent: the newest ten of the account. */
export const commentDrafts = createDraft(
  'comments',
  z.object({
    text: z.string(),
    /** Idempotency key of the attempt to send exactly this, so that a retry does not send twice. */
    attempt: z.optional(z.object({ key: z.string(), isAnonymous: z.boolean() })),
  }),
  10,
);

/** After sending. A newer text for the same vent stays. */
export function removeCommentDraft(accountId: string, ventId: string, sentText: string): void {
  if (commentDrafts.read(accountId, ventId)?.text === sentText) commentDrafts.save(accountId, {}, ventId);
}
