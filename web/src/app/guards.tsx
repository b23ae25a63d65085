import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { ApiError } from '../lib/api-client.ts';
import { hasComposer, paths } from '../lib/paths.ts';
import { retrySelf, useAccountId, useSelf, useSession } from '../lib/self.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { NoConnection } from './no-connection.tsx';
import { returnPath } from './return-path.ts';
import { useIsOnline } from './use-is-online.ts';

/** Whether the server has failed to answer who this is; true until it does. */
function useIsUnreached(): boolean {
  const client = useQueryClient();
  const { data: self, failureCount, failureReason } = useSelf();
  const isOnline = useIsOnline();
  const isSlow = failureReason instanceof ApiError && failureReason.kind === 'timeout';
  // One failure may be a hiccup.
  const isFailing = failureCount > 1 || (failureCount === 1 && (!isOnline || isSlow));
  const [isUnreached, setIsUnreached] = useState(false);
  if (isFailing && !isUnreached) setIsUnreached(true);
  if (self && isUnreached) setIsUnreached(false);

  useEffect(() => {
    if (isOnline && isUnreached) retrySelf(client);
  }, [client, isOnline, isUnreached]);

  return isUnreached && !self;
}

function StartCheck({ isUnreached }: { readonly isUnreached: boolean }) {
  const client = useQueryClient();
  const { failureCount } = useSelf();
  return isUnreached ? (
    <NoConnection isRetrying={failureCount === 0} onRetry={() => retrySelf(client)} />
  ) : (
    <PageSkeleton />
  );
}

/**
 * Pages for people who are signed in. Until that is known, neither the page nor the sign-in form is shown,
 * but where somebody writes: their draft is on this phone, and needs nobody's answer.
 */
export function SignedInOnly() {
  const { isSignedIn, endedBy } = useSession();
  const { data: self } = useSelf();
  const accountId = useAccountId();
  const isUnreached = useIsUnreached();
  const { pathname, search } = useLocation();
  if (!isSignedIn) {
    const returnTo = returnPath(endedBy, pathname + search);
    return <Navigate to={paths.login} replace state={returnTo === undefined ? null : { returnTo }} />;
  }
  const canWrite = isUnreached && accountId !== null && hasComposer(pathname);
  return self || canWrite ? <Outlet /> : <StartCheck isUnreached={isUnreached} />;
}

/**
 * Signing in and up. Whoever arrives signed in is sent home; whoever signs in here stays,
 * because a new account still has a profile to fill in, and the page itself leads on.
 */
export function GuestsOnly() {
  const { isSignedIn } = useSession();
  const { data: self } = useSelf();
  const isUnreached = useIsUnreached();
  const [cameSignedIn, setCameSignedIn] = useState(isSignedIn);
  if (cameSignedIn && !isSignedIn) setCameSignedIn(false);
  if (!cameSignedIn || !isSignedIn) return <Outlet />;
  return self ? <Navigate to={paths.home} replace /> : <StartCheck isUnreached={isUnreached} />;
}
