import { appealNotice, listNotices, listReports } from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';

export const reportsQuery = queryOptions({
  queryKey: ['reports'],
  queryFn: async ({ signal }) => (await apiCall(listReports, { signal })).reports,
  // Refetched on every visit, to be current.
  staleTime: 0,
});

export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: async ({ signal }) => (await apiCall(listNotices, { signal })).notices,
  staleTime: 0,
});

export function useAppeal(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: string) => apiCall(appealNotice, { params: { id }, body: { text } }),
    // Also after a refusal: the notice may have changed meanwhile.
    onSettled: () => client.invalidateQueries(noticesQuery),
  });
}
