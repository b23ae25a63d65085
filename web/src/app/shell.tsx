import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useLayoutEffect, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useCurrentUser } from '../lib/current-user.ts';
import { showFont } from '../lib/font.ts';
import { paths } from '../lib/paths.ts';
import { useSession } from '../lib/session.ts';
import { cx } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { LanguageSwitch } from '../ui/language-switch.tsx';
import { useIsInPage } from '../ui/status.tsx';
import { Toaster } from '../ui/toast.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { UpdatePrompt } from './update-prompt.tsx';
import { useIsOnline } from '../lib/use-is-online.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';
import wifiOff from '@material-symbols/svg-400/rounded/wifi_off.svg?path';
import styles from './shell.module.css';

interface ShellProps {
  readonly fallback: ReactNode;
  /** Above every page. */
  readonly notice: ReactNode;
  /** Keeps the number on the bell true. */
  readonly inboxSync: ReactNode;
  /** The warning that someone is getting this account, from that hour on. */
  readonly showRecovery: (opensAt: string) => ReactNode;
}

/** Layout of every screen: header, page, bottom bar, toasts. */
export function Shell({ fallback, notice, inboxSync, showRecovery }: ShellProps) {
  const { pathname } = useLocation();
  const { isSignedIn } = useSession();
  const { data: self } = useCurrentUser();
  const opensAt = isSignedIn ? self?.recoveryOpensAt : undefined;
  const isOnline = useIsOnline();
  const isInPage = useIsInPage();
  // On the sign-up page, a new user is still filling in the profile form.
  const hasBottomBar = isSignedIn && pathname !== paths.signup;
  // First screens: the languages are at the top, for a visitor who cannot read the current one.
  const isEntrance = pathname === paths.login || pathname === paths.signup;

  useScrollRestoration();
  // Not at first: it is not loaded then.
  useLayoutEffect(showFont, [pathname]);
  useIndexHtmlLabels();

  return (
    <div className={cx(styles.shell, hasBottomBar && styles.hasBottomBar)}>
      <Header />
      <div role="status">
        {isInPage && !isOnline && (
          <p className={styles.offline}>
            <Icon path={wifiOff} size={18} />
            <Trans>You're offline. What you write is saved on this phone. Post it when you're back.</Trans>
          </p>
        )}
      </div>
      {isEntrance && <LanguageSwitch className={styles.languages} />}
      <Suspense>{notice}</Suspense>
      <main id="page" tabIndex={-1} className={styles.page}>
        {opensAt !== undefined && (
          <div role="status" className={styles.waiting}>
            <Suspense>{showRecovery(opensAt)}</Suspense>
          </div>
        )}
        <ErrorBoundary resetBy={pathname}>
          <Suspense fallback={fallback}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      {/* Signed in, they are in the menu and in Settings. */}
      {!isSignedIn && !isEntrance && (
        <footer className={styles.foot}>
          <LanguageSwitch />
        </footer>
      )}
      <UpdatePrompt />
      {hasBottomBar && <BottomBar />}
      {isSignedIn && <Suspense>{inboxSync}</Suspense>}
      <Toaster />
    </div>
  );
}

/** Translates the static labels of index.html, which exist before the app starts. */
function useIndexHtmlLabels(): void {
  const { t } = useLingui();
  useEffect(() => {
    const setText = (selector: string, words: string) => {
      const element = document.querySelector(selector);
      if (element) element.textContent = words;
    };
    setText('#skip', t`Skip to the page`);
    setText('.leave-long', t`Leave quickly`);
    setText('.leave-short', t`Leave`);
    setText('#leave-how', t`Or press Escape three times.`);
    setText('#leave-once-more', t`Press Escape once more to leave.`);
  }, [t]);
}
