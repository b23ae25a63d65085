import { Trans, useLingui } from '@lingui/react/macro';
import { lazy, Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Link, NavLink, Outlet, useLocation } from 'react-router';
import { paths } from '../lib/paths.ts';
import { useSelf, useSession } from '../lib/self.ts';
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
import { useScrollMemory } from './use-scroll-memory.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import editNote from '@material-symbols/svg-400/rounded/edit_note-fill.svg?path';
import forum from '@material-symbols/svg-400/rounded/forum-fill.svg?path';
import group from '@material-symbols/svg-400/rounded/group-fill.svg?path';
import home from '@material-symbols/svg-400/rounded/home-fill.svg?path';
import menu from '@material-symbols/svg-400/rounded/menu.svg?path';
import support from '@material-symbols/svg-400/rounded/volunteer_activism.svg?path';
import wifiOff from '@material-symbols/svg-400/rounded/wifi_off.svg?path';
import styles from './shell.module.css';

// The menu brings floating positions along, which nobody needs before signing in.
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

/** Header, page, bottom bar, toasts: what every screen has in common. */
export function Shell({ fallback }: { readonly fallback: ReactNode }) {
  const { pathname } = useLocation();
  const { isSignedIn } = useSession();
  const isOnline = useIsOnline();
  // Somebody who has just signed up is still filling in a form there.
  const hasBottomBar = isSignedIn && pathname !== paths.signup;

  useScrollMemory();
  useOuterLabels();

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

/** What index.html shows before and above the application, in the language of the page. */
function useOuterLabels(): void {
  const { t } = useLingui();
  useEffect(() => {
    const say = (selector: string, words: string) => {
      const element = document.querySelector(selector);
      if (element) element.textContent = words;
    };
    say('#skip', t`Skip to the page`);
    say('.leave-long', t`Leave quickly`);
    say('.leave-short', t`Leave`);
    say('#leave-how', t`Or press Escape three times.`);
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
  // Being open belongs to one page: any navigation closes it.
  const isOpen = openAt === pathname;

  useEffect(() => {
    if (!isOpen) return;
    // The links come before the button in the page, so Tab alone would walk past them.
    list.current?.querySelector('a')?.focus();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // It has done its work: not one of the three that leave.
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
                {/* Pressing the link of the page one is on moves nowhere, yet the menu should go. */}
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
  const { data: self } = useSelf();
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
