import { readHistoryState } from '../lib/history-state.ts';
import { isOneVent, paths } from '../lib/paths.ts';
import type { SessionEnd } from '../lib/session.ts';

/**
 * The path to return to after sign-in: the current page when the session expired in use, or a vent that was
 * opened by a link. Home in all other cases, as the specification says.
 */
export function returnPath(endedBy: SessionEnd, path: string): string | undefined {
  if (endedBy === 'expired') return path;
  const isArrival = endedBy === 'none' || endedBy === 'refused';
  return isArrival && isOneVent(path.split('?')[0] ?? '') ? path : undefined;
}

/** Reads the path from the history state. Accepts only paths of this origin, against open redirects. */
export function destinationAfterSignIn(state: unknown): string {
  const { returnTo: path = paths.home } = readHistoryState(state);
  const isOurs = /^\/(?![/\\])/u.test(path) && path !== paths.login && path !== paths.signup;
  return isOurs ? path : paths.home;
}
