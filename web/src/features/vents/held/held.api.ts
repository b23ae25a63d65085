import { dropHeldVent, listHeldVents, releaseHeldVent } from '@unsaid/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import { ventsKey } from '../vent-cache.ts';

export const heldKey = ['vents-held'] as const;

/** One's own vents that have yet to go out. Never stale: one may go out at any minute. */
export function useHeldVents() {
  return useQuery({
    queryKey: heldKey,
    queryFn: async ({ signal }) => (await apiCall(listHeldVents, { signal })).held,
    staleTime: 0,
  });
}

/** What becomes of it. A vent that went out meanwhile is not found, and the list says so. */
function useHeldVent(call: typeof releaseHeldVent | typeof dropHeldVent) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      await apiCall(call, { params: { id } });
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: heldKey });
      void client.invalidateQueries({ queryKey: ventsKey });
    },
  });
}

export const useReleaseHeld = () => useHeldVent(releaseHeldVent);
export const useDropHeld = () => useHeldVent(dropHeldVent);
