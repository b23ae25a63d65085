import { emotions, limits, sorts, type Emotion, type Sort } from '@unsaid/contract';
import { useLocation, useNavigate, useNavigationType, useSearchParams, type To } from 'react-router';
import { useEffect, useRef, type RefObject } from 'react';
import { readHistoryState, toHistoryState, type HistoryState } from '../../lib/history-state.ts';

export interface ListParams {
  readonly sort: Sort;
  readonly page: number;
  readonly query: string;
  /** Cursor beyond page 10: the last vent seen. */
  readonly before: string | undefined;
  /** Emotions to filter by. Empty for all. */
  readonly feelings: readonly Emotion[];
}

/**
 * Reads page, sort, cursor and a followed hashtag from the URL, and a typed search and the filter from the
 * history state. Invalid values become the defaults.
 */
export function readListParams(params: URLSearchParams, state?: unknown): ListParams {
  const { typed, feelings = [] } = readHistoryState(state);
  const page = params.get('page') ?? '';
  return {
    sort: sorts.find((sort) => sort === params.get('sort')) ?? 'recent',
    page: /^[1-9]\d?$/u.test(page) ? Math.min(Number(page), limits.pagerPages) : 1,
    query: (typed ?? params.get('query') ?? '').trim(),
    before: params.get('before') ?? undefined,
    feelings: emotions.filter((one) => feelings.includes(one)),
  };
}

/** Query string of list parameters, without the defaults. */
export function listParamsToSearch({ sort, page, query, before }: ListParams): string {
  const params = new URLSearchParams();
  if (sort !== 'recent') params.set('sort', sort);
  if (query !== '') params.set('query', query);
  if (before !== undefined) params.set('before', before);
  else if (page > 1) params.set('page', String(page));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

export const firstPage: ListParams = { sort: 'recent', page: 1, query: '', before: undefined, feelings: [] };

interface ListLink {
  readonly to: To;
  readonly state: HistoryState;
}

/** A link with changed parameters. A typed search and the filter are passed on in the state. */
export function linkFrom(
  { pathname, search, state }: { pathname: string; search: string; state: unknown },
  change: Partial<ListParams>,
  more: HistoryState = {},
): ListLink {
  const current = readListParams(new URLSearchParams(search), state);
  const typed = change.query ?? readHistoryState(state).typed;
  const isInAddress = typed === undefined;
  const feelings = change.feelings ?? current.feelings;
  return {
    to: {
      pathname,
      search: listParamsToSearch({
        ...current,
        page: 1,
        before: undefined,
        ...change,
        query: isInAddress ? current.query : '',
      }),
    },
    state: toHistoryState({
      ...more,
      ...(typed && { typed }),
      ...(feelings.length > 0 && { feelings }),
    }),
  };
}

/** Parameters of a list. They belong to the history entry, so that back, forward and reload restore them. */
export function useListParams() {
  const [search] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const link = (change: Partial<ListParams>, more?: HistoryState) => linkFrom(location, change, more);
  return {
    params: readListParams(search, location.state),
    link,
    go(change: Partial<ListParams>): void {
      const { to, state } = link(change);
      void navigate(to, { state });
    },
  };
}

/** History state of paging links: scrolls to the list and focuses it. */
export const scrollToList = { scrollsToList: true } as const;

export function useScrollToList(list: RefObject<HTMLElement | null>): void {
  const { key, state } = useLocation();
  const navigation = useNavigationType();
  const lastKey = useRef(key);
  useEffect(() => {
    const hasMoved = lastKey.current !== key;
    lastKey.current = key;
    // Back and forward restore the scroll position instead.
    if (!hasMoved || !readHistoryState(state).scrollsToList || navigation === 'POP') return;
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  }, [key, state, navigation, list]);
}
