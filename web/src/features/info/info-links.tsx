import { useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import styles from './info.module.css';

/** The foot of every information page. */
export function InfoLinks() {
  const { t } = useLingui();
  const links: readonly (readonly [path: string, label: string])[] = [
    [paths.terms, t`Terms`],
    [paths.privacy, t`Privacy`],
    [paths.faq, t`FAQ`],
    [paths.support, t`Support`],
    [paths.heard, t`How soon you're heard`],
    [paths.ledger, t`What moderators did`],
    [paths.grievance, t`Grievance officer`],
  ];
  return (
    <nav aria-label={t`More about Unsaid`} className={styles.links}>
      <ul role="list">
        {links.map(([path, label]) => (
          <li key={path}>
            <Link to={path}>{label}</Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
