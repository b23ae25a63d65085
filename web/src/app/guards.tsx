import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState, type ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { ApiError } from '../lib/api-client.ts';
import { retryCurrentUser, useAccountId, useCurrentUser } from '../lib/current-user.ts';
import { endFirstVisit, readFirstVisit } from '../lib/first-visit.ts';
import { toHistoryState } from '../lib/history-state.ts';
import { hasComposer, isOpenToSuspended, paths } from '../lib/paths.ts';
import { useSession } from '../lib/session.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { NoConnection } from './no-connection.tsx';
import { returnPath } from './return-path.ts';
import { useIsOnline } from '../lib/use-is-online.ts';

/**
 * Whether the user could not be fetched because the server is unreachable. Stays true until a fetch succeeds.
 */
function useIsUnreachable(): boolean {
  const client = useQueryClient();
  const { data: self, failureCount, failureReason } = useCurrentUser();
  const isOnline = useIsOnline();
  const isSlow = failureReason instanceof ApiError && failureReason.kind === 'timeout';
  // Tolerates a single failure while online.
  const isFailing = failureCount > 1 || (failureCount === 1 && (!isOnline || isSlow));
  const [isUnreachable, setIsUnreachable] = useState(false);
  if (isFailing && !isUnreachable) setIsUnreachable(true);
  if (self && isUnreachable) setIsUnreachable(false);

  useEffect(() => {
    if (isOnline && isUnreachable) retryCurrentUser(client);
  }, [client, isOnline, isUnreachable]);

  return isUnreachable && !self;
}

function StartCheck({ isUnreachable }: { readonly isUnreachable: boolean }) {
  const client = useQueryClient();
  const { failureCount } = useCurrentUser();
  return isUnreachable ? (
    <NoConnection isRetrying={failureCount === 0} onRetry={() => retryCurrentUser(client)} />
  ) : (
    <PageSkeleton />
  );
}

interface SignedInOnlyProps {
  /** The question of a first visit, from the settings feature. */
  readonly ask: (visit: string, onAnswer: () => void) => ReactNode;
}

/**
 * Routes for signed-in users. Until the user is known, neither the page nor the sign-in form is shown.
 * Exception: pages with a composer, because the draft is on this device and works offline.
 */
export function SignedInOnly({ ask }: SignedInOnlyProps) {
  const { isSignedIn, endedBy } = useSession();
  const { data: self } = useCurrentUser();
  const accountId = useAccountId();
  const isUnreachable = useIsUnreachable();
  const { pathname, search } = useLocation();
  const [, rerender] = useReducer((answers: number) => answers + 1, 0);
  if (!isSignedIn) {
    const returnTo = returnPath(endedBy, pathname + search);
    return (
      <Navigate
        to={paths.login}
        replace
        state={returnTo === undefined ? null : toHistoryState({ returnTo })}
      />
    );
  }
  const visit = self && readFirstVisit(self._id);
  if (self && visit)
    return ask(visit, () => {
      endFirstVisit(self._id);
      rerender();
    });
  if (self?.suspended && !isOpenToSuspended(pathname)) return <Navigate to={paths.notices} replace />;
  const canWrite = isUnreachable && accountId !== null && hasComposer(pathname);
  return self || canWrite ? <Outlet /> : <StartCheck isUnreachable={isUnreachable} />;
}

/**
 * Routes for sign-in and sign-up. Visitors who arrive signed in are redirected home. Those who sign in here
 * stay: a new account still has a profile to fill in, and the page navigates by itself.
 */
export function GuestsOnly() {
  const { isSignedIn } = useSession();
  const { data: self } = useCurrentUser();
  const isUnreachable = useIsUnreachable();
  const [cameSignedIn, setCameSignedIn] = useState(isSignedIn);
  if (cameSignedIn && !isSignedIn) setCameSignedIn(false);
  if (!cameSignedIn || !isSignedIn) return <Outlet />;
  return self ? <Navigate to={paths.home} replace /> : <StartCheck isUnreachable={isUnreachable} />;
}
