import { createVent, type RequestOf } from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from '../../../lib/api-client.ts';
import { getAccountId } from '../../../lib/session.ts';
import { ventsKey } from '../vent-cache.ts';
import { oneQuery } from '../vents.api.ts';
import { weatherKey } from '../weather/weather.api.ts';

interface NewVent {
  readonly body: RequestOf<typeof createVent>['body'];
  readonly attempt: string;
}

export function useCreateVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, attempt }: NewVent) => {
      const accountId = getAccountId();
      const posted = await apiCall(createVent, { body, idempotencyKey: attempt });
      // Logged out meanwhile: the next person must not be shown whose vent it is. A draft that stayed has the key.
      if (getAccountId() !== accountId) throw new ApiError({ kind: 'network' });
      return posted;
    },
    onSuccess: ({ vent }) => {
      void client.invalidateQueries({ queryKey: ventsKey });
      void client.invalidateQueries({ queryKey: weatherKey });
      // For the feed, which shows it at once.
      client.setQueryData(oneQuery(client, vent._id).queryKey, vent);
    },
  });
}
