import { getVent, limits, listVents, searchVents, type Emotion, type VentView } from '@unsaid/contract';
import {
  keepPreviousData,
  queryOptions,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { firstPage, type ListParams } from './list-params.ts';
import { reactionsOf } from './reactions/reactions.api.ts';
import { findVent, patchVent, ventsKey } from './vent-cache.ts';

export interface VentPage {
  readonly vents: readonly VentView[];
  readonly pageCount: number;
  readonly hasOlder: boolean;
  readonly bySound?: readonly string[] | undefined;
}

interface ListOptions extends ListParams {
  readonly isMine?: boolean;
  /** Only those that lists do not fold. */
  readonly isLight?: boolean;
}

const pageSize = limits.feedPageSize;

/** The query parameter of the filter. Absent without one. */
export const emotionOf = (feelings: readonly Emotion[]) =>
  feelings.length > 0 && { emotion: feelings.join() };

function listQuery(
  client: QueryClient,
  { sort, page: shownPage, query, before, feelings, isMine, isLight }: ListOptions,
) {
  // The user's own vents come fifty at once and are paged in the client.
  const isClientPaged = isMine === true && before === undefined;
  const page = isClientPaged ? 1 : shownPage;
  return queryOptions({
    queryKey: [
      ...ventsKey,
      'list',
      { sort, page, query, before, feelings, isMine: isMine === true, isLight: isLight === true },
    ],
    queryFn: async ({ signal }): Promise<VentPage> => {
      const slice = {
        limit: String(isClientPaged ? limits.myVentsFetched : pageSize),
        ...(before === undefined ? { page: String(page) } : { before }),
        ...emotionOf(feelings),
      };
      const response =
        query !== '' && !isMine
          ? await apiCall(searchVents, { query: { query, ...slice }, signal })
          : await apiCall(listVents, {
              query: {
                sort,
                ...slice,
                ...(isMine && { mine: 'true' as const }),
                ...(isLight && { without: 'heavy' as const }),
                ...(query !== '' && { query }),
              },
              signal,
            });
      const vents = response.vents.map(reactionsOf(client).withPending);
      return isClientPaged
        ? {
            ...response,
            vents,
            pageCount: Math.ceil(vents.length / pageSize),
            hasOlder: response.pageCount > 1,
          }
        : { ...response, vents };
    },
    select: (list) =>
      isClientPaged
        ? { ...list, vents: list.vents.slice((shownPage - 1) * pageSize, shownPage * pageSize) }
        : list,
    // A list that is being read must not move.
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
}

/** A page of vents: newest, trending, search results, or the user's own. */
export function useVents(options: ListOptions) {
  return useQuery(listQuery(useQueryClient(), options));
}

/** The user's newest vent: from the cache of My Vents if fresh, otherwise fetched alone. */
export function useNewestOwnVent(): VentView | undefined {
  const client = useQueryClient();
  const own = listQuery(client, { ...firstPage, isMine: true }).queryKey;
  const { data } = useQuery({
    queryKey: [...ventsKey, 'newest-own'],
    queryFn: async ({ signal }): Promise<VentPage> =>
      apiCall(listVents, { query: { mine: 'true', sort: 'recent', page: '1', limit: '1' }, signal }),
    initialData: () => client.getQueryData<VentPage>(own),
    initialDataUpdatedAt: () => client.getQueryState(own)?.dataUpdatedAt,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return data?.vents[0];
}

export function oneQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: [...ventsKey, 'one', id],
    queryFn: async ({ signal }): Promise<VentView> => {
      const { vent } = await apiCall(getVent, { params: { id }, signal });
      const shown = reactionsOf(client).withPending(vent);
      patchVent(client, id, () => shown);
      return shown;
    },
  });
}

/** Fetched now, with its words even if the user hid it. Lists then show it too. */
export const fetchVent = (client: QueryClient, id: string) =>
  client.fetchQuery({ ...oneQuery(client, id), staleTime: 0 });

/** A vent. `isFresh`: fetched now, even if it was a moment ago. */
export function useVent(id: string, { isFresh = false } = {}) {
  const client = useQueryClient();
  return useQuery({
    ...oneQuery(client, id),
    placeholderData: () => findVent(client, id),
    ...(isFresh && { staleTime: 0 }),
  });
}

/** The vent posted just now, from the cache: no call may tell that it was not held back. */
export function usePostedVent(id: string, isOut: boolean) {
  return useQuery({
    ...oneQuery(useQueryClient(), id),
    enabled: ({ state }) => isOut && state.data === undefined,
  });
}

/** A vent from a list, refetched when its comments are opened. */
export function useFreshVent(vent: VentView): VentView {
  const client = useQueryClient();
  const { data } = useQuery({ ...oneQuery(client, vent._id), staleTime: 0, placeholderData: vent });
  return data ?? vent;
}

/** Refetches the lists, even fresh ones. */
export function useRefreshVents(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ventsKey });
}
