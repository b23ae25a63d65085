import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { failureText } from '../../../lib/error-text.ts';
import { paths } from '../../../lib/paths.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { Composer } from '../compose/composer.tsx';
import { postedHere, readJustPosted } from '../compose/just-posted.ts';
import { useListParams, useScrollToList } from '../list-params.ts';
import { FeelingFilter, NothingFelt } from '../search/feeling-filter.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useRefreshVents, useVents } from '../vents.api.ts';
import { AfterPosting } from './after-posting.tsx';
import { EmptyFeed } from './empty-feed.tsx';
import { EmptyList } from './empty-list.tsx';
import { Pager } from './pager.tsx';
import { SortButtons } from './sort-buttons.tsx';
import { TodaysQuestion } from './todays-question.tsx';
import history from '@material-symbols/svg-400/rounded/history.svg?path';
import styles from './feed.module.css';

export function FeedPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { state, search } = useLocation();
  const { params, go } = useListParams();
  const refresh = useRefreshVents();
  const list = useRef<HTMLElement>(null);
  useScrollToList(list);

  const find = (query: string) => {
    // An empty search refreshes the list.
    if (query === '') refresh();
    if (query !== params.query) go({ query });
  };

  const posted = readJustPosted(state);
  const afterPosting = (
    <AfterPosting
      onSeeOthers={() => {
        list.current?.focus({ preventScroll: true });
        list.current?.scrollIntoView({ block: 'start' });
      }}
      onStay={() => {
        // The focused button disappears: move focus to the page.
        document.getElementById('page')?.focus({ preventScroll: true });
        void navigate(paths.vents + search, { replace: true, state: null });
      }}
    />
  );

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageHeading>{t`Vents`}</PageHeading>
        <ButtonLink to={paths.myVents} variant="outlined" icon={history}>
          <Trans>My Vents</Trans>
        </ButtonLink>
      </header>
      <div className={styles.write}>
        {posted === 'elsewhere' ? afterPosting : <TodaysQuestion />}
        <Composer
          // Shows the newest vents, where the new one is on top. Replaces the history entry if they are shown
          // already.
          onPosted={() =>
            void navigate(paths.vents, {
              state: postedHere,
              replace: search === '' && params.query === '',
            })
          }
        />
        {posted === 'here' && afterPosting}
      </div>
      <section ref={list} tabIndex={-1} aria-label={t`Vents`} className={styles.list}>
        <div className={styles.tools}>
          <SearchBox label={t`Search vents`} query={params.query} onSearch={find} />
          <SortButtons
            sort={params.query === '' ? params.sort : null}
            onChange={(sort) => go({ sort, query: '' })}
          />
          <FeelingFilter />
        </div>
        {params.query !== '' && (
          <p className={styles.searched} role="status">
            <span>
              <Trans>
                Vents with <UserText>{params.query}</UserText>
              </Trans>
            </span>
            <Button variant="quiet" onClick={() => find('')}>
              <Trans>Show all</Trans>
            </Button>
          </p>
        )}
        <FeedVents onDeleted={() => list.current?.focus({ preventScroll: true })} />
      </section>
    </div>
  );
}

function FeedVents({ onDeleted }: { readonly onDeleted: () => void }) {
  const { t } = useLingui();
  const { params } = useListParams();
  const { data, error, isPlaceholderData, isFetching, refetch } = useVents(params);
  const isLast = params.before !== undefined || params.page === limits.pagerPages;

  return (
    <>
      {error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, params.query === '' ? t`Failed to fetch vents` : t`Search failed`)}
        </ErrorCard>
      ) : !data || isPlaceholderData ? (
        <VentListSkeleton />
      ) : data.vents.length === 0 && params.feelings.length > 0 ? (
        <NothingFelt />
      ) : data.vents.length === 0 && data.pageCount === 0 && params.query === '' ? (
        <EmptyFeed />
      ) : data.vents.length === 0 ? (
        <EmptyList>
          {params.query === '' ? (
            <Trans>It is quiet here. You could be the first to speak.</Trans>
          ) : (
            <Trans>Nothing with these words yet. Yours could be the first.</Trans>
          )}
        </EmptyList>
      ) : (
        <VentList vents={data.vents} onDeleted={onDeleted} />
      )}
      {!error && (
        <Pager
          pageCount={data?.pageCount ?? 0}
          olderThan={isLast && !isPlaceholderData && data?.hasOlder ? data.vents.at(-1)?._id : undefined}
        />
      )}
    </>
  );
}
