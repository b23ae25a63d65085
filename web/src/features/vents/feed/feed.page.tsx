import { limits, type VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { memo, Suspense, useCallback, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useLocation, useNavigate, useNavigationType } from 'react-router';
import { failureText } from '../../../lib/error-text.ts';
import { lazyPart } from '../../../lib/lazy-part.tsx';
import { useNewestVentAt } from '../../../lib/live.ts';
import { paths } from '../../../lib/paths.ts';
import { Button, ButtonLink, IconButton } from '../../../ui/button.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { Status } from '../../../ui/status.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { FeedComposer } from '../compose/feed-composer.tsx';
import { dismissPostedNote, pinVent, useJustPosted, type Posted } from '../compose/just-posted.ts';
import { useListeningDay } from '../listening/listening-day.ts';
import { useListParams, useScrollToList, type ListParams } from '../list-params.ts';
import { FeelingFilter, NothingFelt } from '../search/feeling-filter.tsx';
import { SearchBox, SearchNote } from '../search/search-box.tsx';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useRefreshVents, useVents } from '../vents.api.ts';
import { EmptyFeed } from './empty-feed.tsx';
import { EmptyList } from './empty-list.tsx';
import { Pager } from './pager.tsx';
import { PinnedVent } from './pinned-vent.tsx';
import { SortButtons } from './sort-buttons.tsx';
import arrowUp from '@material-symbols/svg-400/rounded/arrow_upward.svg?path';
import filter from '@material-symbols/svg-400/rounded/filter_list.svg?path';
import history from '@material-symbols/svg-400/rounded/history.svg?path';
import styles from './feed.module.css';

/** A feed works without it. */
const WaitingRegion = lazyPart(() => import('../listening/waiting-region.tsx'), {
  catalogue: 'listening',
  isLate: true,
}).as('WaitingRegion', { isOptional: true });

export function FeedPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { state, search } = useLocation();
  const posted = useJustPosted(state);
  const { params, go } = useListParams();
  const refresh = useRefreshVents();
  const list = useRef<HTMLElement>(null);
  const tools = useRef<HTMLDivElement>(null);
  useScrollToList(list);

  const find = (query: string) => {
    // An empty search refreshes the list.
    if (query === '') refresh();
    if (query !== params.query) go({ query });
    // Results are shorter than the feed: the box must not end up against the header, or above it.
    requestAnimationFrame(() => scrollIfAbove(list.current));
  };

  // Open as long as it filters, also after Back.
  const [isFilterOpen, setIsFiltering] = useState(params.feelings.length > 0);
  const isFiltering = isFilterOpen || params.feelings.length > 0;
  const filterId = useId();

  const [isWriting, setIsWriting] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const write = () => {
    setIsWriting(true);
    dismissPostedNote();
    // After React has shown the form.
    requestAnimationFrame(() => text.current?.focus());
  };

  // The same functions at each render: opening the form then renders neither the list nor the form.
  const focusList = useCallback(() => list.current?.focus({ preventScroll: true }), []);
  const showNewest = useCallback(() => {
    focusList();
    tools.current?.scrollIntoView({ block: 'start' });
  }, [focusList]);
  const isOnNewest = search === '' && params.query === '';
  // Shows the newest vents, with the new one pinned. Replaces the history entry if they are shown already.
  const showPosted = useCallback(
    (newest: Posted) => {
      setIsWriting(false);
      void navigate(paths.vents, { state: pinVent(newest), replace: isOnNewest });
    },
    [navigate, isOnNewest],
  );

  const pinned = useRef<HTMLDivElement>(null);
  // Back and forward restore the scroll position instead.
  const newToken = useNavigationType() === 'POP' ? undefined : posted?.token;
  useEffect(() => {
    if (newToken === undefined) return;
    // Also after the page's heading, which takes the focus of a navigation: the new vent is what matters.
    pinned.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [newToken]);

  return (
    <div className={styles.page} data-searching={params.query === '' ? undefined : ''}>
      <header className={styles.head}>
        <PageHeading>{t`Vents`}</PageHeading>
        <ButtonLink to={paths.myVents} variant="outlined" icon={history}>{t`My Vents`}</ButtonLink>
      </header>
      <div className={styles.write}>
        {/* With a keyboard, the form beside the list is many stops long. */}
        <button type="button" className={styles.skip} onClick={focusList}>
          <Trans>Skip to the vents</Trans>
        </button>
        <FeedComposer
          isOpen={isWriting}
          onToggle={() => (isWriting ? setIsWriting(false) : write())}
          textRef={text}
          onWrite={dismissPostedNote}
          onPosted={showPosted}
        />
      </div>
      <section ref={list} tabIndex={-1} aria-label={t`Vents`} className={styles.list}>
        {posted && (
          <PinnedVent
            ref={pinned}
            posted={posted}
            onRead={() => {
              tools.current?.focus({ preventScroll: true });
              tools.current?.scrollIntoView({ block: 'start' });
            }}
            onWrite={write}
            onDeleted={focusList}
          />
        )}
        <div ref={tools} tabIndex={-1} className={styles.tools}>
          <div className={styles.row}>
            <div className={styles.search}>
              <SearchBox label={t`Search vents`} query={params.query} onSearch={find} isShort />
            </div>
            <SortButtons
              sort={params.query === '' ? params.sort : null}
              onChange={(sort) => go({ sort, query: '' })}
            />
            <ButtonLink to={paths.listen} variant="quiet" className={styles.listen}>{t`Listen`}</ButtonLink>
            <IconButton
              label={t`Filter by feeling`}
              icon={filter}
              aria-expanded={isFiltering}
              aria-controls={filterId}
              onClick={() => {
                if (isFiltering && params.feelings.length > 0) go({ feelings: [] });
                setIsFiltering(!isFiltering);
              }}
            />
          </div>
          <div id={filterId} hidden={!isFiltering}>
            <FeelingFilter />
          </div>
          {params.query !== '' && <SearchNote query={params.query} />}
        </div>
        {params.query !== '' && (
          <div className={styles.searched}>
            <Status>
              <Trans>
                Vents with <UserText>{params.query}</UserText>
              </Trans>
            </Status>
            <Button variant="quiet" onClick={() => find('')}>{t`Show all`}</Button>
          </div>
        )}
        <FeedVents
          pinnedId={posted?.ventId}
          isAfterPost={posted !== undefined}
          onDeleted={focusList}
          onRenewed={showNewest}
        />
      </section>
    </div>
  );
}

/** Scrolls to an element whose top is above the readable part of the page. */
function scrollIfAbove(element: HTMLElement | null): void {
  if (!element) return;
  const { scrollPaddingTop } = getComputedStyle(document.documentElement);
  if (element.getBoundingClientRect().top < Number.parseFloat(scrollPaddingTop)) element.scrollIntoView();
}

/** One of the pages of all vents, newest first. */
function isShowingRecent({ sort, query, before, feelings }: ListParams): boolean {
  return sort === 'recent' && query === '' && before === undefined && feelings.length === 0;
}

const isShowingNewest = (params: ListParams) => isShowingRecent(params) && params.page === 1;

interface NewVentsProps {
  /** The first vent of the list. */
  readonly top: VentView | undefined;
  readonly isLoading: boolean;
  readonly onShow: () => void;
}

/** Says that there are newer vents than the list. They are never pushed in: what is being read must not move. */
function NewVents({ top, isLoading, onShow }: NewVentsProps) {
  const newestAt = useNewestVentAt();
  const isBehind = newestAt !== null && top !== undefined && Date.parse(newestAt) > Date.parse(top.createdAt);
  return (
    <div role="status" className={styles.newVents}>
      {isBehind && (
        <Button variant="outlined" icon={arrowUp} isBusy={isLoading} onClick={onShow}>
          <Trans>New vents</Trans>
        </Button>
      )}
    </div>
  );
}

interface FeedVentsProps {
  /** Shown above the list already. */
  readonly pinnedId: string | undefined;
  readonly isAfterPost: boolean;
  readonly onDeleted: () => void;
  /** The reader asked for the new vents, and they are shown. */
  readonly onRenewed: () => void;
}

const FeedVents = memo(function FeedVents({ pinnedId, isAfterPost, onDeleted, onRenewed }: FeedVentsProps) {
  const { t } = useLingui();
  const { params } = useListParams();
  const { data, error, isPlaceholderData, isFetching, refetch } = useVents(params);
  const { isOff } = useListeningDay();
  const isLast = params.before !== undefined || params.page === limits.pagerPages;
  const isLoaded = data !== undefined && !isPlaceholderData;
  // A list that has just arrived is rendered in slices, behind its skeleton: a slow phone can scroll and tap meanwhile.
  const isRendered = useDeferredValue(isLoaded);

  return (
    <>
      {error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, params.query === '' ? t`Failed to fetch vents` : t`Search failed`)}
        </ErrorCard>
      ) : !isLoaded || !isRendered ? (
        <VentListSkeleton />
      ) : data.vents.length === 0 && params.feelings.length > 0 ? (
        <NothingFelt />
      ) : data.vents.length === 0 && data.pageCount === 0 && params.query === '' ? (
        <EmptyFeed />
      ) : data.vents.length === 0 ? (
        <EmptyList>
          {params.query === '' ? (
            <Trans>It's quiet here right now. You could go first.</Trans>
          ) : (
            <Trans>Nothing with these words yet. Try another word, or write it yourself.</Trans>
          )}
        </EmptyList>
      ) : (
        <div>
          {isShowingNewest(params) && (
            <NewVents
              top={data.vents[0]}
              isLoading={isFetching}
              onShow={() => void refetch().then(onRenewed)}
            />
          )}
          <VentList
            vents={data.vents.filter(({ _id }) => _id !== pinnedId)}
            bySound={data.bySound}
            query={params.query}
            onDeleted={onDeleted}
            aside={
              isShowingRecent(params) &&
              // All vents are on this page.
              data.pageCount > 1 &&
              !isOff && (
                <Suspense fallback={<div className={styles.waiting} />}>
                  <WaitingRegion
                    key={params.page}
                    page={params.page}
                    shown={data.vents.map(({ _id }) => _id)}
                    isAfterPost={isAfterPost}
                  />
                </Suspense>
              )
            }
          />
        </div>
      )}
      {!error && (
        <Pager
          pageCount={data?.pageCount ?? 0}
          olderThan={isLast && !isPlaceholderData && data?.hasOlder ? data.vents.at(-1)?._id : undefined}
        />
      )}
    </>
  );
});
