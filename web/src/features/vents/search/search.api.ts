import { listVents, searchVents } from '@unsaid/contract';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import type { ListParams } from '../list-params.ts';
import { reactionsOf } from '../reactions/reactions.api.ts';
import { ventsKey } from '../vent-cache.ts';
import { emotionOf, type VentPage } from '../vents.api.ts';

const searchPageSize = 20;

/** Results of the search page, as an infinite query. Without words: all vents of the chosen emotions. */
export function useSearch({ query, feelings }: Pick<ListParams, 'query' | 'feelings'>) {
  const client = useQueryClient();
  return useInfiniteQuery({
    queryKey: [...ventsKey, 'found', { query, feelings }],
    queryFn: async ({ pageParam, signal }): Promise<VentPage> => {
      const slice = {
        limit: String(searchPageSize),
        ...emotionOf(feelings),
        ...(pageParam !== undefined && { before: pageParam }),
      };
      const response =
        query === ''
          ? await apiCall(listVents, { query: slice, signal })
          : await apiCall(searchVents, { query: { query, ...slice }, signal });
      return { ...response, vents: response.vents.map(reactionsOf(client).withPending) };
    },
    // Paged by cursor: new vents must not shift results onto two pages.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ vents, pageCount, hasOlder }, _, before) =>
      (before === undefined ? pageCount > 1 : hasOlder) ? vents.at(-1)?._id : undefined,
    refetchOnWindowFocus: false,
    enabled: query !== '' || feelings.length > 0,
  });
}
