import { subscribeToSession } from '../../lib/session.ts';

/** Appeals begun and not sent, by notice. In memory only, as the drafts of reports are. */
const drafts = new Map<string, string>();

export function readAppealDraft(noticeId: string): string {
  return drafts.get(noticeId) ?? '';
}

export function saveAppealDraft(noticeId: string, text: string): void {
  if (text === '') drafts.delete(noticeId);
  else drafts.set(noticeId, text);
}

subscribeToSession(() => drafts.clear());
