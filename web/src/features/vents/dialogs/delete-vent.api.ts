import { deleteVent } from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import { createSessionStore } from '../../../lib/store.ts';
import { unpinVent } from '../compose/just-posted.ts';
import { dropVent, ventsKey } from '../vent-cache.ts';
import { weatherKey } from '../weather/weather.api.ts';

/** Number of vents deleted since the page was loaded. An observer can link vents that disappear together. */
const count = createSessionStore<number>(0);
export const deletedInVisit = count.get;

export function useDeleteVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => apiCall(deleteVent, { params: { id } }),
    onSuccess: (_, id) => {
      count.set(count.get() + 1);
      unpinVent(id);
      dropVent(client, id);
      // Except the deleted vent itself: its page is about to close, and a refetch would get a 404.
      void client.invalidateQueries({
        queryKey: ventsKey,
        predicate: ({ queryKey }) => queryKey[1] !== 'one' || queryKey[2] !== id,
      });
      void client.invalidateQueries({ queryKey: weatherKey });
    },
  });
}
