import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { cx } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { toListTop, useListPlace } from './list-place.ts';
import older from '@material-symbols/svg-400/rounded/chevron_right.svg?path';
import styles from './pager.module.css';

interface PagerProps {
  /** How many of the pages hold something. */
  readonly pageCount: number;
  /** After the last page: goes on after this vent. */
  readonly olderThan: string | undefined;
}

const pages = Array.from({ length: limits.pagerPages }, (_, index) => index + 1);

/** Exactly ten pages, all in sight; those that hold nothing cannot be pressed. */
export function Pager({ pageCount, olderThan }: PagerProps) {
  const { t } = useLingui();
  const { place, link } = useListPlace();
  const isBeyond = place.before !== undefined;
  return (
    <nav className={styles.pager} aria-label={t`Pages`}>
      <ul role="list" className={styles.pages}>
        {pages.map((page) => {
          const isCurrent = !isBeyond && page === place.page;
          return (
            <li key={page}>
              {page <= pageCount || isCurrent || page === 1 ? (
                <Link
                  {...link({ page }, toListTop)}
                  className={styles.page}
                  aria-label={t`Page ${page}`}
                  aria-current={isCurrent ? 'page' : undefined}
                >
                  {page}
                </Link>
              ) : (
                <span
                  role="link"
                  aria-disabled="true"
                  aria-label={t`Page ${page}`}
                  className={cx(styles.page, styles.empty)}
                >
                  {page}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {olderThan !== undefined && (
        <Link {...link({ before: olderThan }, toListTop)} className={styles.older}>
          <Trans>Older</Trans>
          <Icon path={older} size={20} />
        </Link>
      )}
    </nav>
  );
}
