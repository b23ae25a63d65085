import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { paths } from '../lib/paths.ts';
import { useSelf, useSession } from '../lib/self.ts';
import { Note } from '../ui/note.tsx';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { returnPath } from './return-path.ts';
import styles from './shell.module.css';

function StartCheck() {
  const { failureCount } = useSelf();
  return (
    <>
      {failureCount > 1 && (
        <div className={styles.waiting}>
          <Note>
            <Trans>We cannot reach Unsaid just now. You are still signed in; we keep trying.</Trans>
          </Note>
        </div>
      )}
      <PageSkeleton />
    </>
  );
}

/** Pages for people who are signed in. Until that is known, neither the page nor the sign-in form is shown. */
export function SignedInOnly() {
  const { isSignedIn, endedBy } = useSession();
  const { data: self } = useSelf();
  const { pathname, search } = useLocation();
  if (!isSignedIn) {
    const returnTo = returnPath(endedBy, pathname + search);
    return <Navigate to={paths.login} replace state={returnTo === undefined ? null : { returnTo }} />;
  }
  return self ? <Outlet /> : <StartCheck />;
}

/**
 * Signing in and up. Whoever arrives signed in is sent home; whoever signs in here stays,
 * because a new account still has a profile to fill in, and the page itself leads on.
 */
export function GuestsOnly() {
  const { isSignedIn } = useSession();
  const { data: self } = useSelf();
  const [cameSignedIn, setCameSignedIn] = useState(isSignedIn);
  if (cameSignedIn && !isSignedIn) setCameSignedIn(false);
  if (!cameSignedIn || !isSignedIn) return <Outlet />;
  return self ? <Navigate to={paths.home} replace /> : <StartCheck />;
}
