import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { paths } from '../../../lib/paths.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { loadGuard, ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import { HeldVents } from '../held/held-vents.tsx';
import { useListParams, useScrollToList } from '../list-params.ts';
import { SearchBox } from '../search/search-box.tsx';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useRefreshVents, useVents } from '../vents.api.ts';
import { Pager } from './pager.tsx';
import add from '@material-symbols/svg-400/rounded/add.svg?path';
import styles from './feed.module.css';

export function MyVentsPage() {
  const { t } = useLingui();
  const { params, go } = useListParams();
  const refresh = useRefreshVents();
  const list = useRef<HTMLElement>(null);
  useScrollToList(list);
  // With the list, so that the card does not move it later.
  useEffect(loadGuard, []);

  const { data, error, isPlaceholderData, isFetching, refetch } = useVents({
    ...params,
    sort: 'recent',
    isMine: true,
  });
  const isLast = params.before !== undefined || params.page === limits.pagerPages;
  // One card on the page, about the newest vent: a card on every old one would be too much.
  const isNewestPage = params.page === 1 && params.before === undefined && params.query === '';
  const newest = isNewestPage ? data?.vents[0] : undefined;
  const createNew = <ButtonLink to={paths.createVent} icon={add}>{t`Create New Vent`}</ButtonLink>;
  const hasNone = data?.vents.length === 0 && params.query === '' && params.page === 1;

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageHeading>{t`My Vents`}</PageHeading>
        {!hasNone && createNew}
      </header>
      <section ref={list} tabIndex={-1} aria-label={t`My Vents`} className={styles.list}>
        <SearchBox
          label={t`Search your vents`}
          query={params.query}
          onSearch={(query) => {
            if (query === '') refresh();
            if (query !== params.query) go({ query });
          }}
        />
        {isNewestPage && <HeldVents />}
        {error ? (
          <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
            {failureText(error, params.query === '' ? t`Failed to fetch your vents` : t`Search failed`)}
          </ErrorCard>
        ) : !data || isPlaceholderData ? (
          <VentListSkeleton />
        ) : hasNone ? (
          <EmptyState title={<Trans>You haven't created any vents yet.</Trans>} action={createNew}>
            <Trans>Whenever you're ready. Nobody will know it's you.</Trans>
          </EmptyState>
        ) : data.vents.length === 0 ? (
          <EmptyState
            title={<Trans>No vents available.</Trans>}
            action={
              <ButtonLink to={paths.myVents} replace={false} variant="outlined">
                <Trans>Show all my vents</Trans>
              </ButtonLink>
            }
          >
            <Trans>None of your vents have these words.</Trans>
          </EmptyState>
        ) : (
          <>
            {newest && (
              <CrisisNote
                place={ventPlace(newest._id)}
                moment="own"
                from={2}
                hasAbuseLine
                text={wordsOf(newest)}
              />
            )}
            <VentList
              vents={data.vents}
              bySound={data.bySound}
              query={params.query}
              isOwnList
              deleteFailure={t`Failed to delete vent`}
              onDeleted={() => list.current?.focus({ preventScroll: true })}
            />
          </>
        )}
        {!error && (
          <Pager
            pageCount={data?.pageCount ?? 0}
            olderThan={isLast && !isPlaceholderData && data?.hasOlder ? data.vents.at(-1)?._id : undefined}
          />
        )}
      </section>
    </div>
  );
}
