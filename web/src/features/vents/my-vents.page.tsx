import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { useListPlace, useListTop } from './list-place.ts';
import { OwnComments } from './own-comments.tsx';
import { Pager } from './pager.tsx';
import { SearchBox } from './search-box.tsx';
import { VentList, VentListSkeleton } from './vent-list.tsx';
import { useReload, useVents } from './vents.api.ts';
import add from '@material-symbols/svg-400/rounded/add.svg?path';
import styles from './feed.module.css';

export function MyVentsPage() {
  const { t } = useLingui();
  const { place, go } = useListPlace();
  const reload = useReload();
  const list = useRef<HTMLElement>(null);
  useListTop(list);

  const { data, error, isPlaceholderData, isFetching, refetch } = useVents({
    ...place,
    sort: 'recent',
    isMine: true,
  });
  const isLast = place.before !== undefined || place.page === limits.pagerPages;
  const createNew = (
    <ButtonLink to={paths.createVent} icon={add}>
      <Trans>Create New Vent</Trans>
    </ButtonLink>
  );
  const hasNone = data?.vents.length === 0 && place.query === '' && place.page === 1;

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageHeading>{t`My Vents`}</PageHeading>
        {!hasNone && createNew}
      </header>
      <section ref={list} tabIndex={-1} aria-label={t`My Vents`} className={styles.list}>
        <SearchBox
          label={t`Search your vents`}
          query={place.query}
          onSearch={(query) => {
            if (query === '') reload();
            if (query !== place.query) go({ query });
          }}
        />
        {error ? (
          <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
            {failureText(error, place.query === '' ? t`Failed to fetch your vents` : t`Search failed`)}
          </ErrorCard>
        ) : !data || isPlaceholderData ? (
          <VentListSkeleton />
        ) : hasNone ? (
          <EmptyState title={<Trans>You haven't created any vents yet.</Trans>} action={createNew}>
            <Trans>Whenever you are ready. Nobody will know that it was you.</Trans>
          </EmptyState>
        ) : data.vents.length === 0 ? (
          <EmptyState
            title={<Trans>No vents available.</Trans>}
            action={
              <ButtonLink to={paths.myVents} replace={false} variant="outlined">
                <Trans>Show all of yours</Trans>
              </ButtonLink>
            }
          >
            <Trans>None of yours are here.</Trans>
          </EmptyState>
        ) : (
          <VentList
            vents={data.vents}
            isOwnList
            Foot={OwnComments}
            deleteFailure={t`Failed to delete vent`}
            onDeleted={() => list.current?.focus({ preventScroll: true })}
          />
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
