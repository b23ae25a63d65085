import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Link, NavLink, Outlet, useLocation } from 'react-router';
import { useCurrentUser, useSession } from '../lib/current-user.ts';
import { lazyNamed } from '../lib/lazy-named.ts';
import { paths } from '../lib/paths.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { LanguageSwitch } from '../ui/language-switch.tsx';
import { Logo } from '../ui/logo.tsx';
import { Bar } from '../ui/skeleton.tsx';
import { Toaster } from '../ui/toast.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { UpdatePrompt } from './update-prompt.tsx';
import { useIsOnline } from './use-is-online.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import editNote from '@material-symbols/svg-400/rounded/edit_note-fill.svg?path';
import forum from '@material-symbols/svg-400/rounded/forum-fill.svg?path';
import group from '@material-symbols/svg-400/rounded/group-fill.svg?path';
import home from '@material-symbols/svg-400/rounded/home-fill.svg?path';
import menu from '@material-symbols/svg-400/rounded/menu.svg?path';
import support from '@material-symbols/svg-400/rounded/volunteer_activism.svg?path';
import wifiOff from '@material-symbols/svg-400/rounded/wifi_off.svg?path';
import styles from './shell.module.css';

// Lazy: the menu includes the floating-position code, which is not needed before sign-in.
const AccountMenu = lazyNamed(() => import('./account-menu.tsx'), 'AccountMenu');

/** Layout of every screen: header, page, bottom bar, toasts. */
export function Shell({ fallback }: { readonly fallback: ReactNode }) {
  const { pathname } = useLocation();
  const { isSignedIn } = useSession();
  const isOnline = useIsOnline();
  // On the sign-up page, a new user is still filling in the profile form.
  const hasBottomBar = isSignedIn && pathname !== paths.signup;

  useScrollRestoration();
  useIndexHtmlLabels();

  return (
    <div className={cx(styles.shell, hasBottomBar && styles.hasBottomBar)}>
      <Header />
      <div role="status">
        {!isOnline && (
          <p className={styles.offline}>
            <Icon path={wifiOff} size={18} />
            <Trans>You are offline. This page stays; new things wait until you are back.</Trans>
          </p>
        )}
      </div>
      <main id="page" tabIndex={-1} className={styles.page}>
        <ErrorBoundary resetBy={pathname}>
          <Suspense fallback={fallback}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <footer className={styles.foot}>
        <LanguageSwitch />
      </footer>
      <UpdatePrompt />
      {hasBottomBar && <BottomBar />}
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
    document.getElementById('leave-said')?.setAttribute('data-once-more', t`Escape once more to leave.`);
  }, [t]);
}

function Header() {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const { isSignedIn } = useSession();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const header = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const listId = useId();
  // The menu belongs to one path: any navigation closes it.
  const isOpen = openAt === pathname;

  useEffect(() => {
    if (!isOpen) return;
    // The links precede the button in the DOM, so Tab from the button would skip them.
    list.current?.querySelector('a')?.focus();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // Handled here: this key press must not count towards the triple-Escape exit.
      event.preventDefault();
      setOpenAt(null);
      toggle.current?.focus();
    };
    const onPress = (event: Event) => {
      if (event.target instanceof Node && !header.current?.contains(event.target)) setOpenAt(null);
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('focusin', onPress);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('focusin', onPress);
    };
  }, [isOpen]);

  const links: readonly (readonly [string, string])[] = [
    [paths.home, t`Home`],
    [paths.vents, t`Vents`],
    [paths.matches, t`Matches`],
    ...(isSignedIn
      ? []
      : ([
          [paths.login, t`Login`],
          [paths.signup, t`Sign Up`],
        ] as const)),
    [paths.terms, t`Terms`],
    [paths.privacy, t`Privacy`],
    [paths.faq, t`FAQ`],
  ];

  return (
    <header ref={header} className={styles.header}>
      <div className={styles.bar}>
        <Link to={paths.home} className={styles.brand}>
          <Logo />
          Unsaid
        </Link>
        <nav className={styles.nav} aria-label={t`Main`}>
          <ul ref={list} id={listId} role="list" className={cx(styles.links, isOpen && styles.open)}>
            {links.map(([to, label]) => (
              <li key={to}>
                {/* A link to the current page does not navigate, so the menu is closed here. */}
                <NavLink to={to} end className={cx(styles.link)} onClick={() => setOpenAt(null)}>
                  {label}
                </NavLink>
              </li>
            ))}
            <li className={styles.inMenu}>
              <LanguageSwitch />
            </li>
          </ul>
          <NavLink
            to={paths.support}
            className={cx(styles.link, styles.support)}
            onClick={() => setOpenAt(null)}
          >
            <Icon path={support} size={20} />
            <Trans>Support</Trans>
          </NavLink>
          {isSignedIn && <Account />}
          <IconButton
            ref={toggle}
            className={styles.menuButton}
            label={isOpen ? t`Close menu` : t`Menu`}
            icon={isOpen ? close : menu}
            aria-expanded={isOpen}
            aria-controls={listId}
            onClick={() => setOpenAt(isOpen ? null : pathname)}
          />
        </nav>
      </div>
    </header>
  );
}

function Account() {
  const { data: self } = useCurrentUser();
  const placeholder = (
    <span className={styles.accountPlaceholder}>
      <Bar height={36} isRound />
    </span>
  );
  if (!self) return placeholder;
  return (
    <Suspense fallback={placeholder}>
      <AccountMenu self={self} />
    </Suspense>
  );
}

function BottomBar() {
  const { t } = useLingui();
  const items = [
    [paths.home, t`Home`, home],
    [paths.vents, t`Vents`, forum],
    [paths.createVent, t`Write`, editNote],
    [paths.matches, t`Matches`, group],
  ] as const;
  return (
    <nav className={styles.bottomBar} aria-label={t`Quick links`}>
      {items.map(([to, label, icon]) => (
        <NavLink key={to} to={to} end className={cx(styles.bottomLink)}>
          <Icon path={icon} />
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
