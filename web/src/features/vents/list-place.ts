import { limits, sorts } from '@unsaid/contract';
import { useLocation, useNavigationType, useSearchParams, type To } from 'react-router';
import { useEffect, useRef, type RefObject } from 'react';
import type { ListPlace } from './vents.api.ts';

/** Reads page, sort, search and cursor from the address; whatever is not one of ours counts as the beginning. */
export function readPlace(params: URLSearchParams): ListPlace {
  const page = params.get('page') ?? '';
  return {
    sort: sorts.find((sort) => sort === params.get('sort')) ?? 'recent',
    page: /^[1-9]\d?$/u.test(page) ? Math.min(Number(page), limits.pagerPages) : 1,
    query: params.get('query')?.trim() ?? '',
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

/** The place in the list lives in the address, so that back, forward and a copied link lead to it. */
export function useListPlace() {
  const [params] = useSearchParams();
  const { pathname } = useLocation();
  const place = readPlace(params);
  const to = (change: Partial<ListPlace>): To => ({
    pathname,
    search: writePlace({ ...place, page: 1, before: undefined, ...change }),
  });
  return { place, to };
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
