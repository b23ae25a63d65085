import { getAccountId, shortHash } from './session.ts';

/** Marks the history state of an account by a hash of its id, as the drafts are. */
export function ownMark(): { readonly by?: string } {
  const accountId = getAccountId();
  return accountId === null ? {} : { by: shortHash(accountId) };
}

/** Empty if another account made the entry: on a shared phone, Back in the same tab leads to it. */
export function readOwn(state: unknown): Readonly<Record<string, unknown>> {
  if (typeof state !== 'object' || state === null) return {};
  return ('by' in state ? state.by : undefined) === ownMark().by ? { ...state } : {};
}
