import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { ButtonLink } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { scrollToList, useListParams } from '../list-params.ts';
import newer from '@material-symbols/svg-400/rounded/chevron_left.svg?path';
import older from '@material-symbols/svg-400/rounded/chevron_right.svg?path';
import styles from './pager.module.css';

interface PagerProps {
  /** Number of pages that have vents. */
  readonly pageCount: number;
  /** Cursor of the link after the last page. */
  readonly olderThan: string | undefined;
}

const pages = Array.from({ length: limits.pagerPages }, (_, index) => index + 1);

/** The next and the previous page, then always ten pages. Empty ones are disabled. */
export function Pager({ pageCount, olderThan }: PagerProps) {
  const { t } = useLingui();
  const { params, link } = useListParams();
  const isBeyond = params.before !== undefined;
  const hasNext = !isBeyond && params.page < pageCount;
  const hasPrevious = !isBeyond && params.page > 1;
  // Search results are in order of time, whatever the sort.
  const isByTime = params.sort === 'recent' || params.query !== '';
  return (
    <nav className={styles.pager} aria-label={t`Pages`}>
      {(hasNext || hasPrevious) && (
        <div className={styles.turns}>
          {hasPrevious && (
            <ButtonLink {...link({ page: params.page - 1 }, scrollToList)} variant="quiet" icon={newer}>
              {isByTime ? <Trans>Newer</Trans> : <Trans>Previous</Trans>}
            </ButtonLink>
          )}
          {hasNext && (
            <ButtonLink {...link({ page: params.page + 1 }, scrollToList)} variant="outlined">
              <Trans>Next {limits.feedPageSize} vents</Trans>
            </ButtonLink>
          )}
        </div>
      )}
      <ul role="list" className={styles.pages}>
        {pages.map((page) => {
          const isCurrent = !isBeyond && page === params.page;
          return (
            <li key={page}>
              {page <= pageCount || isCurrent || page === 1 ? (
                <Link
                  {...link({ page }, scrollToList)}
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
        <Link {...link({ before: olderThan }, scrollToList)} className={styles.older}>
          <Trans>Older</Trans>
          <Icon path={older} size={20} />
        </Link>
      )}
    </nav>
  );
}
