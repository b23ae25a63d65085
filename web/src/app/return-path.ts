import { isOneVent, paths } from '../lib/paths.ts';
import type { SessionEnd } from '../lib/session.ts';

/**
 * Where somebody goes back to after signing in: the page they were on when their session ended in mid-use,
 * or the one vent they had followed a link to. In every other case it is home, as the specification says.
 */
export function returnPath(endedBy: SessionEnd, path: string): string | undefined {
  if (endedBy === 'expired') return path;
  const isArrival = endedBy === 'none' || endedBy === 'refused';
  return isArrival && isOneVent(path.split('?')[0] ?? '') ? path : undefined;
}

/** Reads it back from the history entry, trusting only addresses of our own. */
export function destinationAfterSignIn(state: unknown): string {
  const path =
    typeof state === 'object' && state !== null && 'returnTo' in state && typeof state.returnTo === 'string'
      ? state.returnTo
      : paths.home;
  const isOurs = /^\/(?![/\\])/u.test(path) && path !== paths.login && path !== paths.signup;
  return isOurs ? path : paths.home;
}
