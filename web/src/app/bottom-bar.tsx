import { useLingui } from '@lingui/react/macro';
import { Link, useLocation } from 'react-router';
import { paths } from '../lib/paths.ts';
import { useUnread } from '../lib/unread.ts';
import { cx } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import { Bell, NewMark } from './bell.tsx';
import { currentMark } from './current-mark.ts';
import { useIsTyping } from './use-is-typing.ts';
import editNote from '@material-symbols/svg-400/rounded/edit_note-fill.svg?path';
import forum from '@material-symbols/svg-400/rounded/forum-fill.svg?path';
import group from '@material-symbols/svg-400/rounded/group-fill.svg?path';
import home from '@material-symbols/svg-400/rounded/home-fill.svg?path';
import styles from './shell.module.css';

/** The main pages, on narrow screens. */
export function BottomBar() {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const isTyping = useIsTyping();
  const unread = useUnread();
  const items = [
    [paths.home, t`Home`, home],
    [paths.vents, t`Vents`, forum],
    [paths.createVent, t`Write`, editNote],
    [paths.matches, t`Matches`, group],
    [paths.inbox, t`Inbox`, null],
  ] as const;
  return (
    <nav className={styles.bottomBar} data-away={isTyping || undefined} aria-label={t`Quick links`}>
      {items.map(([to, label, icon]) => (
        <Link key={to} to={to} className={cx(styles.bottomLink)} aria-current={currentMark(to, pathname)}>
          {icon === null ? <Bell /> : <Icon path={icon} />}
          {/* The bell has a name of its own. */}
          <span aria-hidden={icon === null || undefined}>
            {label}
            {to === paths.matches && unread.isOnMatches && <NewMark />}
          </span>
        </Link>
      ))}
    </nav>
  );
}
