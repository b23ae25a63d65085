import { limits, listen, type Door } from '@unsaid/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import { reactionsOf } from '../reactions/reactions.api.ts';
import { ventsKey } from '../vent-cache.ts';
import { readLanguages } from './listening-settings.ts';

/** Five vents that wait. Drawn once for each place: what is being read must not change. */
export function useWaiting(place: string, door: Door, isWanted = true) {
  const client = useQueryClient();
  const languages = readLanguages.useValue();
  return useQuery({
    queryKey: [...ventsKey, 'waiting', place, languages.join()],
    queryFn: async ({ signal }) => {
      const { vents } = await apiCall(listen, {
        query: { count: String(limits.listenCount), door, reads: languages.join() || undefined },
        signal,
      });
      return { vents: vents.map(reactionsOf(client).withPending) };
    },
    enabled: isWanted,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
}
