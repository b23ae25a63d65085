import { limits, sorts } from '@unsaid/contract';
import { useLocation, useNavigate, useNavigationType, useSearchParams, type To } from 'react-router';
import { useEffect, useRef, type RefObject } from 'react';
import type { ListPlace } from './vents.api.ts';

/**
 * Words that somebody typed. They stand in the state of the history's entry and never in its address: browsers list
 * addresses, complete them for whoever types next, and keep them. The state goes with the tab, and survives a reload.
 */
function readTyped(state: unknown): string | undefined {
  return typeof state === 'object' && state !== null && 'typed' in state && typeof state.typed === 'string'
    ? state.typed
    : undefined;
}

/**
 * Reads page, sort, cursor and a hashtag that was followed from the address, and typed words from the history's state;
 * whatever is not one of ours counts as the beginning.
 */
export function readPlace(params: URLSearchParams, state?: unknown): ListPlace {
  const page = params.get('page') ?? '';
  return {
    sort: sorts.find((sort) => sort === params.get('sort')) ?? 'recent',
    page: /^[1-9]\d?$/u.test(page) ? Math.min(Number(page), limits.pagerPages) : 1,
    query: (readTyped(state) ?? params.get('query') ?? '').trim(),
    before: params.get('before') ?? undefined,
  };
}

/** The address of a place; what is as at the beginning is left out. */
export function writePlace({ sort, page, query, before }: ListPlace): string {
  const params = new URLSearchParams();
  if (sort !== 'recent') params.set('sort', sort);
  if (query !== '') params.set('query', query);
  if (before !== undefined) params.set('before', before);
  else if (page > 1) params.set('page', String(page));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

export const firstPage: ListPlace = { sort: 'recent', page: 1, query: '', before: undefined };

interface PlaceLink {
  readonly to: To;
  readonly state: object;
}

/** Where a link leads that changes something about the place; typed words go along in the state. */
export function linkFrom(
  { pathname, search, state }: { pathname: string; search: string; state: unknown },
  change: Partial<ListPlace>,
  more: object = {},
): PlaceLink {
  const place = readPlace(new URLSearchParams(search), state);
  const typed = change.query ?? readTyped(state);
  const isInAddress = typed === undefined;
  return {
    to: {
      pathname,
      search: writePlace({
        ...place,
        page: 1,
        before: undefined,
        ...change,
        query: isInAddress ? place.query : '',
      }),
    },
    state: { ...more, ...(typed ? { typed } : {}) },
  };
}

/** The place in the list belongs to the history's entry, so that back, forward and a reload lead to it. */
export function useListPlace() {
  const [params] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const link = (change: Partial<ListPlace>, more?: object) => linkFrom(location, change, more);
  return {
    place: readPlace(params, location.state),
    link,
    go(change: Partial<ListPlace>): void {
      const { to, state } = link(change);
      void navigate(to, { state });
    },
  };
}

/** Goes with links that turn a page: focus and eyes move to the beginning of the list. */
export const toListTop = { isToListTop: true } as const;

export function useListTop(list: RefObject<HTMLElement | null>): void {
  const { key, state } = useLocation();
  const navigation = useNavigationType();
  const lastKey = useRef(key);
  useEffect(() => {
    const hasMoved = lastKey.current !== key;
    lastKey.current = key;
    const isTurn = typeof state === 'object' && state !== null && 'isToListTop' in state;
    // Back and forward go to where one was instead.
    if (!hasMoved || !isTurn || navigation === 'POP') return;
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView();
  }, [key, state, navigation, list]);
}
