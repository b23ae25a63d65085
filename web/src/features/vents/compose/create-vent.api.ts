import { createVent, type RequestOf, type VentView } from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from '../../../lib/api-client.ts';
import { getAccountId } from '../../../lib/session.ts';
import { heldKey } from '../held/held.api.ts';
import { ventsKey } from '../vent-cache.ts';
import { oneQuery } from '../vents.api.ts';
import { weatherKey } from '../weather/weather.api.ts';

interface NewVent {
  readonly body: RequestOf<typeof createVent>['body'];
  readonly attempt: string;
}

/** Posts a vent. Null for one that was held back: it goes out later. The same calls follow, so that they do not tell which. */
export function useCreateVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, attempt }: NewVent): Promise<VentView | null> => {
      const accountId = getAccountId();
      const { vent } = await apiCall(createVent, { body, idempotencyKey: attempt });
      // Logged out meanwhile: the next person must not be shown whose vent it is. A draft that stayed has the key.
      if (getAccountId() !== accountId) throw new ApiError({ kind: 'network' });
      return vent;
    },
    onSuccess: (vent) => {
      for (const queryKey of [heldKey, ventsKey, weatherKey]) void client.invalidateQueries({ queryKey });
      // For the feed, which shows it at once.
      if (vent) client.setQueryData(oneQuery(client, vent._id).queryKey, vent);
    },
  });
}
