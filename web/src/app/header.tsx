import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useCurrentUser } from '../lib/current-user.ts';
import { paths, profileHash } from '../lib/paths.ts';
import { useSession } from '../lib/session.ts';
import { useUnread } from '../lib/unread.ts';
import { Avatar } from '../ui/avatar.tsx';
import { cx } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { LanguageSwitch } from '../ui/language-switch.tsx';
import { Logo } from '../ui/logo.tsx';
import { Bar } from '../ui/skeleton.tsx';
import { useBackCloses } from '../ui/use-back-closes.ts';
import { Bell, NewMark } from './bell.tsx';
import { currentMark } from './current-mark.ts';
import { logOut } from './log-out.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import menu from '@material-symbols/svg-400/rounded/menu.svg?path';
import support from '@material-symbols/svg-400/rounded/support.svg?path';
import styles from './header.module.css';

/**
 * Top bar. One menu button: on narrow screens its panel has every link, on wide ones the links are in the bar
 * and the panel has what belongs to the account.
 */
export function Header() {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const { isSignedIn } = useSession();
  // Not tied to the path: it changes only when a page has loaded, and would close a menu opened meanwhile.
  const [isOpen, setIsOpen] = useState(false);
  const header = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const closeMenu = () => setIsOpen(false);

  useBackCloses(isOpen, closeMenu);

  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // Handled here: this key press must not count towards the triple-Escape exit.
      event.preventDefault();
      setIsOpen(false);
      button.current?.focus();
    };
    const onPress = (event: Event) => {
      if (event.target instanceof Node && !header.current?.contains(event.target)) setIsOpen(false);
    };
    // A page that has just loaded focuses its heading. That must not close a menu opened meanwhile.
    const onFocus = (event: Event) => {
      if (!(event.target instanceof HTMLHeadingElement)) onPress(event);
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('focusin', onFocus);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('focusin', onFocus);
    };
  }, [isOpen]);

  const mainLinks: readonly NavigationLink[] = [
    [paths.home, t`Home`],
    [paths.vents, t`Vents`],
    ...(isSignedIn ? ([[paths.createVent, t`Write`]] as const) : []),
    [paths.matches, t`Matches`],
    ...(isSignedIn
      ? []
      : ([
          [paths.login, t`Login`],
          [paths.signup, t`Sign Up`],
        ] as const)),
  ];
  const infoLinks: readonly NavigationLink[] = [
    [paths.terms, t`Terms`],
    [paths.privacy, t`Privacy`],
    [paths.faq, t`FAQ`],
  ];
  const ownLinks: readonly NavigationLink[] = [
    [paths.home + profileHash, t`Profile`],
    [paths.myVents, t`My Vents`],
    [paths.settings, t`Settings`],
  ];

  return (
    <header ref={header} className={styles.header}>
      <div className={styles.bar}>
        <Link to={paths.home} className={styles.brand} onClick={closeMenu}>
          <Logo />
          Unsaid
        </Link>
        <nav className={styles.nav} aria-label={t`Main`}>
          <LinkList links={[...mainLinks, ...infoLinks]} className={styles.links} />
          <Link
            to={paths.support}
            aria-current={currentMark(paths.support, pathname)}
            className={cx(styles.link, styles.support)}
            onClick={closeMenu}
          >
            <Icon path={support} size={20} />
            <Trans>Support</Trans>
          </Link>
          {isSignedIn && (
            <Link
              to={paths.inbox}
              title={t`Inbox`}
              aria-current={currentMark(paths.inbox, pathname)}
              className={styles.bell}
              onClick={closeMenu}
            >
              <Bell />
            </Link>
          )}
          <div className={cx(styles.menu, !isSignedIn && styles.narrowOnly)}>
            <button
              ref={button}
              type="button"
              className={styles.menuButton}
              aria-label={isOpen ? t`Close menu` : t`Menu`}
              aria-expanded={isOpen}
              aria-controls={panelId}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? <Icon path={close} /> : <MenuFace />}
            </button>
            <div id={panelId} hidden={!isOpen} className={styles.panel}>
              {isOpen && (
                <>
                  {/* A link to the current page does not navigate, so the menu is closed here. */}
                  {isSignedIn && <LinkList links={ownLinks} isInMenu onFollow={closeMenu} />}
                  <LinkList
                    // Signed in, the bottom bar has the main ones.
                    links={
                      isSignedIn ? [[paths.support, t`Support`], ...infoLinks] : [...mainLinks, ...infoLinks]
                    }
                    isInMenu
                    onFollow={closeMenu}
                    className={styles.narrowOnly}
                  />
                  <LanguageSwitch className={styles.languages} />
                  {isSignedIn && (
                    <button
                      type="button"
                      className={cx(styles.link, styles.logOut)}
                      onClick={() => {
                        closeMenu();
                        void logOut();
                      }}
                    >
                      <Trans>Log out</Trans>
                    </button>
                  )}
                </>
              )}
            </div>
          </div>
        </nav>
      </div>
    </header>
  );
}

type NavigationLink = readonly [path: string, label: string];

interface LinkListProps {
  readonly links: readonly NavigationLink[];
  /** Marks the page itself only: My Vents is in the menu too. */
  readonly isInMenu?: boolean;
  readonly onFollow?: () => void;
  readonly className?: string | undefined;
}

function LinkList({ links, isInMenu, onFollow, className }: LinkListProps) {
  const { pathname } = useLocation();
  const { isOnOwnVents, isOnMatches } = useUnread();
  const isNew = (to: string) =>
    (to === paths.matches && isOnMatches) || (to === paths.myVents && isOnOwnVents);
  const mark = (to: string) => {
    const current = currentMark(to, pathname);
    return isInMenu && current !== 'page' ? undefined : current;
  };
  return (
    <ul role="list" className={className}>
      {links.map(([to, label]) => (
        <li key={to}>
          <Link to={to} aria-current={mark(to)} className={cx(styles.link)} onClick={onFollow}>
            {label}
            {isNew(to) && <NewMark />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The user's picture, or the usual lines for a visitor. */
function MenuFace() {
  const { isSignedIn } = useSession();
  const { data: self } = useCurrentUser();
  if (!isSignedIn) return <Icon path={menu} />;
  return self ? <Avatar src={self.profilePic} size={36} /> : <Bar height={36} isRound />;
}
