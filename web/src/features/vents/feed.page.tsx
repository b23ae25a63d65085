import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Words } from '../../ui/words.tsx';
import { AfterPosting } from './after-posting.tsx';
import { Composer } from './composer.tsx';
import { FirstHere } from './first-here.tsx';
import { postedHere, readJustPosted } from './just-posted.ts';
import { useListPlace, useListTop } from './list-place.ts';
import { NoVents } from './no-vents.tsx';
import { Pager } from './pager.tsx';
import { SearchBox } from './search-box.tsx';
import { SortButtons } from './sort-buttons.tsx';
import { TodaysQuestion } from './todays-question.tsx';
import { VentList, VentListSkeleton } from './vent-list.tsx';
import { useReload, useVents } from './vents.api.ts';
import history from '@material-symbols/svg-400/rounded/history.svg?path';
import styles from './feed.module.css';

export function FeedPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { state, search } = useLocation();
  const { place, go } = useListPlace();
  const reload = useReload();
  const list = useRef<HTMLElement>(null);
  useListTop(list);

  const find = (query: string) => {
    // Nothing typed means: the list again, as it is now.
    if (query === '') reload();
    if (query !== place.query) go({ query });
  };

  const posted = readJustPosted(state);
  const afterPosting = (
    <AfterPosting
      onSeeOthers={() => {
        list.current?.focus({ preventScroll: true });
        list.current?.scrollIntoView({ block: 'start' });
      }}
      onStay={() => {
        // The button goes; a keyboard goes on from the page itself.
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
          // Its place is at the top of the newest; who is there already makes no second step of it.
          onPosted={() =>
            void navigate(paths.vents, {
              state: postedHere,
              replace: search === '' && place.query === '',
            })
          }
        />
        {posted === 'here' && afterPosting}
      </div>
      <section ref={list} tabIndex={-1} aria-label={t`Vents`} className={styles.list}>
        <div className={styles.tools}>
          <SearchBox label={t`Search vents`} query={place.query} onSearch={find} />
          <SortButtons
            sort={place.query === '' ? place.sort : null}
            onChange={(sort) => go({ sort, query: '' })}
          />
        </div>
        {place.query !== '' && (
          <p className={styles.searched} role="status">
            <span>
              <Trans>
                Vents with <Words>{place.query}</Words>
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
  const { place } = useListPlace();
  const { data, error, isPlaceholderData, isFetching, refetch } = useVents(place);
  const isLast = place.before !== undefined || place.page === limits.pagerPages;

  return (
    <>
      {error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, place.query === '' ? t`Failed to fetch vents` : t`Search failed`)}
        </ErrorCard>
      ) : !data || isPlaceholderData ? (
        <VentListSkeleton />
      ) : data.vents.length === 0 && data.pageCount === 0 && place.query === '' ? (
        <FirstHere />
      ) : data.vents.length === 0 ? (
        <NoVents>
          {place.query === '' ? (
            <Trans>It is quiet here. You could be the first to speak.</Trans>
          ) : (
            <Trans>Nothing with these words yet. Yours could be the first.</Trans>
          )}
        </NoVents>
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
