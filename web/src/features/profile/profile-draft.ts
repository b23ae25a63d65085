import { getSession, subscribeToSession } from '../../lib/session.ts';
import type { ProfileValues } from './profile-form.ts';

/**
 * Unsaved edits of the Update Profile dialog. In memory of this tab only, and dropped when the session ends or
 * changes: they must not be shown to the next person on a shared phone.
 */
let draft: { readonly accountId: string; readonly values: ProfileValues } | null = null;

let session = getSession();
subscribeToSession(() => {
  if (getSession() !== session) draft = null;
  session = getSession();
});

export function readProfileDraft(accountId: string): ProfileValues | null {
  return draft?.accountId === accountId ? draft.values : null;
}

/** Null when the form has no edits. */
export function keepProfileDraft(accountId: string, values: ProfileValues | null): void {
  draft = values && { accountId, values };
}
