import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link, useLocation } from 'react-router';
import { readHistoryState } from '../../../lib/history-state.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { scrollToList, useListParams } from '../list-params.ts';
import left from '@material-symbols/svg-400/rounded/chevron_left.svg?path';
import right from '@material-symbols/svg-400/rounded/chevron_right.svg?path';
import styles from './pager.module.css';

interface PagerProps {
  /** Number of pages that have vents. */
  readonly pageCount: number;
  /** Cursor of the link after the last page. */
  readonly olderThan: string | undefined;
}

const pages = Array.from({ length: limits.pagerPages }, (_, index) => index + 1);

/** The newer and the older page, then always ten pages. Empty ones are disabled. After the tenth they go on by cursor. */
export function Pager({ pageCount, olderThan }: PagerProps) {
  const { t } = useLingui();
  const { trail = [] } = readHistoryState(useLocation().state);
  const { params, link } = useListParams();
  const { page: shown, before } = params;
  const isBeyond = before !== undefined;
  const older =
    olderThan !== undefined
      ? link({ before: olderThan }, { ...scrollToList, ...(isBeyond && { trail: [...trail, before] }) })
      : !isBeyond && shown < pageCount
        ? link({ page: shown + 1 }, scrollToList)
        : undefined;
  const last = trail.at(-1);
  const newer = isBeyond
    ? typeof last === 'string'
      ? link({ before: last }, { ...scrollToList, trail: trail.slice(0, -1) })
      : link({ page: limits.pagerPages }, scrollToList)
    : shown > 1
      ? link({ page: shown - 1 }, scrollToList)
      : undefined;
  // Search results are in order of time, whatever the sort.
  const isByTime = params.sort === 'recent' || params.query !== '';
  return (
    <nav className={styles.pager} aria-label={t`Pages`}>
      {(newer || older) && (
        <div className={styles.turns}>
          {newer && (
            <ButtonLink {...newer} variant={older ? 'quiet' : 'outlined'} icon={left}>
              {isByTime ? <Trans>Newer</Trans> : <Trans>Previous</Trans>}
            </ButtonLink>
          )}
          {older && (
            <ButtonLink {...older} variant="outlined">
              {isByTime ? <Trans>Older</Trans> : <Trans>Next</Trans>}
              <Icon path={right} size={20} />
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
    </nav>
  );
}
