import { dropHeldVent, listHeldVents, releaseHeldVent } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import { ventsKey } from '../vent-cache.ts';

const hourMs = 3_600_000;
export const heldKey = ['vents-held'] as const;

const heldQuery = queryOptions({
  queryKey: heldKey,
  queryFn: ({ signal }) => apiCall(listHeldVents, { signal }),
});

/** One's own vents that have yet to go out. Never stale: one may go out at any minute. */
export const useHeldVents = () => useQuery({ ...heldQuery, staleTime: 0, select: ({ held }) => held });

/** When a vent that is held now usually goes out, in words. Undefined until the server has said so. */
export function useUsuallyWithin(isAsked = true): string | undefined {
  const { t } = useLingui();
  const { data: hours } = useQuery({
    ...heldQuery,
    enabled: isAsked,
    staleTime: hourMs,
    select: ({ usuallyWithinHours }) => usuallyWithinHours,
  });
  if (hours === undefined) return undefined;
  if (hours === 1) return t`Usually within the hour.`;
  return hours === 48 ? t`It can take two days.` : t`Usually within ${hours} hours.`;
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
