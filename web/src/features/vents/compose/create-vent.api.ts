import { createVent, holdVent, type RequestOf, type VentView } from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from '../../../lib/api-client.ts';
import { getAccountId } from '../../../lib/session.ts';
import { heldKey } from '../held/held.api.ts';
import { ventsKey } from '../vent-cache.ts';
import { oneQuery } from '../vents.api.ts';
import { weatherKey } from '../weather/weather.api.ts';

interface NewVent {
  readonly body: RequestOf<typeof createVent>['body'];
  readonly isHeld: boolean;
  readonly attempt: string;
}

/** Posts a vent. Null for one that was held back: it goes out later. */
export function useCreateVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, isHeld, attempt }: NewVent): Promise<VentView | null> => {
      const accountId = getAccountId();
      const call = { body, idempotencyKey: attempt };
      const vent = isHeld
        ? await apiCall(holdVent, call).then(() => null)
        : (await apiCall(createVent, call)).vent;
      // Logged out meanwhile: the next person must not be shown whose vent it is. A draft that stayed has the key.
      if (getAccountId() !== accountId) throw new ApiError({ kind: 'network' });
      return vent;
    },
    onSuccess: (vent) => {
      if (vent === null) return void client.invalidateQueries({ queryKey: heldKey });
      void client.invalidateQueries({ queryKey: ventsKey });
      void client.invalidateQueries({ queryKey: weatherKey });
      // For the feed, which shows it at once.
      client.setQueryData(oneQuery(client, vent._id).queryKey, vent);
    },
  });
}
