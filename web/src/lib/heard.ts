import { getHeard } from '@unsaid/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiCall } from './api-client.ts';

/** How soon vents were answered last week. */
export const heardQuery = queryOptions({
  queryKey: ['heard'],
  queryFn: async ({ signal }) => (await apiCall(getHeard, { signal })).week,
});
