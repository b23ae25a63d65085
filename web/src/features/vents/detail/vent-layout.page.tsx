import { useLingui } from '@lingui/react/macro';
import { Suspense } from 'react';
import { NavLink, Outlet, useMatch } from 'react-router';
import { paths } from '../../../lib/paths.ts';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { VentListSkeleton } from '../vent-list.tsx';
import edit from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import forum from '@material-symbols/svg-400/rounded/forum.svg?path';
import history from '@material-symbols/svg-400/rounded/history.svg?path';
import search from '@material-symbols/svg-400/rounded/search.svg?path';
import styles from './vent-layout.module.css';

/**
 * Layout of the /vent routes, with four links. On /vent itself each link has a description; elsewhere they
 * follow the page, whose own content comes first on a phone.
 */
export function VentLayout() {
  const { t } = useLingui();
  const isBare = useMatch(paths.vent) !== null;
  const ways = [
    [paths.vents, t`Vent Feed`, t`What people couldn't say anywhere else.`, forum],
    [paths.createVent, t`Create Vent`, t`Say it. Nobody can tell it was you.`, edit],
    [paths.searchVents, t`Search Vents`, t`Find words that sound like yours.`, search],
    [paths.myVents, t`My Vents`, t`All you've posted, and the replies.`, history],
  ] as const;
  const nav = (
    <nav aria-label={t`Vent`} className={cx(styles.ways, isBare && styles.bare)}>
      {ways.map(([to, label, line, icon]) => (
        <NavLink key={to} to={to} className={cx(styles.way)}>
          <Icon path={icon} size={isBare ? 28 : 20} />
          <span className={styles.label}>{label}</span>
          {isBare && <span className={styles.line}>{line}</span>}
        </NavLink>
      ))}
    </nav>
  );
  return (
    <div className={styles.page}>
      {isBare && (
        <>
          <PageHeading>{t`Vent`}</PageHeading>
          {nav}
        </>
      )}
      <Suspense fallback={<VentListSkeleton count={1} />}>
        <Outlet />
      </Suspense>
      {!isBare && nav}
    </div>
  );
}
