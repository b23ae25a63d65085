import { commentDraftsKey, shortHash } from '../../../lib/session.ts';
import { localStore } from '../../../lib/storage.ts';

/**
 * Drafts of comments, stored on this device until they are sent, under the rules of the vent's draft
 * (compose/drafts.ts). One entry holds the newest drafts of the account. A draft names its vent by a hash
 * together with the account id, which is deleted with the session: the next person on a shared phone cannot
 * tell which vents were read.
 */
export interface CommentDraft {
  readonly text: string;
  /** Idempotency key of the attempt to send exactly this, so that a retry does not send twice. */
  readonly attempt?: { readonly key: string; readonly isAnonymous: boolean } | undefined;
}

interface StoredDraft extends CommentDraft {
  readonly vent: string;
  readonly savedAt: number;
}

const maxDrafts = 10;
/** Expiry of abandoned drafts, as for vents. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

const hashVent = (accountId: string, ventId: string) => shortHash(`${accountId} ${ventId}`);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function parseDraft(value: unknown): StoredDraft[] {
  if (!isObject(value)) return [];
  const { vent, text, savedAt, attempt } = value;
  if (typeof vent !== 'string' || typeof text !== 'string' || typeof savedAt !== 'number') return [];
  const isWhole =
    isObject(attempt) && typeof attempt['key'] === 'string' && typeof attempt['isAnonymous'] === 'boolean';
  return [
    {
      vent,
      text,
      savedAt,
      ...(isWhole && {
        attempt: { key: attempt['key'] as string, isAnonymous: attempt['isAnonymous'] as boolean },
      }),
    },
  ];
}

/** Newest first, without expired ones. */
function readAll(accountId: string, now: number): StoredDraft[] {
  try {
    const stored: unknown = JSON.parse(localStore.get(commentDraftsKey(accountId)) ?? 'null');
    const drafts: unknown = isObject(stored) ? stored['drafts'] : undefined;
    return (Array.isArray(drafts) ? drafts : [])
      .flatMap(parseDraft)
      .filter(({ savedAt }) => now - savedAt <= maxAgeMs);
  } catch {
    return [];
  }
}

function writeAll(accountId: string, drafts: readonly StoredDraft[]): void {
  const [newest] = drafts;
  localStore.set(
    commentDraftsKey(accountId),
    // `savedAt` of the entry: `readDraft` of the vents deletes expired entries of all accounts by it.
    newest ? JSON.stringify({ drafts: drafts.slice(0, maxDrafts), savedAt: newest.savedAt }) : null,
  );
}

/** Reads the draft for a vent, and deletes expired ones. */
export function readCommentDraft(
  accountId: string,
  ventId: string,
  now = Date.now(),
): CommentDraft | undefined {
  const drafts = readAll(accountId, now);
  writeAll(accountId, drafts);
  const vent = hashVent(accountId, ventId);
  const draft = drafts.find((one) => one.vent === vent);
  return draft && { text: draft.text, attempt: draft.attempt };
}

/** Called on every key press. An empty text removes the draft. */
export function saveCommentDraft(
  accountId: string,
  ventId: string,
  draft: CommentDraft,
  now = Date.now(),
): void {
  const vent = hashVent(accountId, ventId);
  const others = readAll(accountId, now).filter((one) => one.vent !== vent);
  writeAll(accountId, draft.text === '' ? others : [{ vent, ...draft, savedAt: now }, ...others]);
}

/** After sending. A newer text for the same vent stays. */
export function removeCommentDraft(accountId: string, ventId: string, sentText: string): void {
  if (readCommentDraft(accountId, ventId)?.text === sentText)
    saveCommentDraft(accountId, ventId, { text: '' });
}
