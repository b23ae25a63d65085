import { isRecord } from '../../../lib/history-state.ts';
import { draftKey } from '../../../lib/session.ts';
import { localStore } from '../../../lib/storage.ts';
import { draftLifetimeMs } from '../../../lib/draft-lifetime.ts';

/** Whether there is something to finish: a bare choice, such as that about comments, is not. */
export function hasWords(draft: object): boolean {
  return Object.entries(draft).some(
    ([name, value]) =>
      name !== 'need' &&
      name !== 'keepDays' &&
      (typeof value === 'string' || Array.isArray(value)) &&
      value.length > 0,
  );
}

/**
 * What the folded row and the first keys need of the stored draft. Without the form's schemas, which are loaded with it:
 * `readDraft` is the whole.
 */
export function peekDraft(accountId: string) {
  try {
    const [stored] = JSON.parse(localStore.get(draftKey(accountId, 'vent')) ?? '[]') as unknown[];
    if (!isRecord(stored) || !isRecord(stored['draft'])) return nothing;
    if (Date.now() - Number(stored['savedAt']) > draftLifetimeMs) return nothing;
    const { text, title } = stored['draft'];
    const words = (value: unknown) => (typeof value === 'string' ? value : '');
    return { hasWords: hasWords(stored['draft']), text: words(text), title: words(title) };
  } catch {
    return nothing;
  }
}

const nothing = { hasWords: false, text: '', title: '' };
