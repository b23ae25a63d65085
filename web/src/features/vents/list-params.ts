import { emotions, limits, sorts, type Emotion, type Sort } from '@unsaid/contract';
import { useLocation, useNavigate, useNavigationType, useSearchParams, type To } from 'react-router';
import { useEffect, useRef, type RefObject } from 'react';
import { ownMark, readOwn } from '../../lib/own-state.ts';

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
 * A typed search. It is stored in the history state and never in the URL, because browsers record URLs and
 * suggest them to the next person. The state ends with the tab, and survives a reload.
 */
function readTyped(state: unknown): string | undefined {
  const { typed } = readOwn(state);
  return typeof typed === 'string' ? typed : undefined;
}

/** The filter by emotion, in the history state for the same reason. */
function readFeelings(state: unknown): readonly Emotion[] {
  const { feelings } = readOwn(state);
  return Array.isArray(feelings) ? emotions.filter((one) => feelings.includes(one)) : [];
}

/**
 * Reads page, sort, cursor and a followed hashtag from the URL, and a typed search and the filter from the
 * history state. Invalid values become the defaults.
 */
export function readListParams(params: URLSearchParams, state?: unknown): ListParams {
  const page = params.get('page') ?? '';
  return {
    sort: sorts.find((sort) => sort === params.get('sort')) ?? 'recent',
    page: /^[1-9]\d?$/u.test(page) ? Math.min(Number(page), limits.pagerPages) : 1,
    query: (readTyped(state) ?? params.get('query') ?? '').trim(),
    before: params.get('before') ?? undefined,
    feelings: readFeelings(state),
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
  readonly state: object;
}

/** A link with changed parameters. A typed search and the filter are passed on in the state. */
export function linkFrom(
  { pathname, search, state }: { pathname: string; search: string; state: unknown },
  change: Partial<ListParams>,
  more: object = {},
): ListLink {
  const current = readListParams(new URLSearchParams(search), state);
  const typed = change.query ?? readTyped(state);
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
    state: {
      ...more,
      ...(typed ? { typed } : {}),
      ...(feelings.length > 0 ? { feelings } : {}),
      ...(typed || feelings.length > 0 ? ownMark() : {}),
    },
  };
}

/** Parameters of a list. They belong to the history entry, so that back, forward and reload restore them. */
export function useListParams() {
  const [search] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const link = (change: Partial<ListParams>, more?: object) => linkFrom(location, change, more);
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
    const isTurn = typeof state === 'object' && state !== null && 'scrollsToList' in state;
    // Back and forward restore the scroll position instead.
    if (!hasMoved || !isTurn || navigation === 'POP') return;
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  }, [key, state, navigation, list]);
}
