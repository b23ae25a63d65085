import {
  deleteAccount,
  exportData,
  listSessions,
  revokeOtherSessions,
  revokeSession,
  type LeavingSpan,
} from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { endSession } from '../../lib/session.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await apiCall(listSessions, { signal })).sessions,
  // Refetched on every visit, to be current.
  staleTime: 0,
});

export function useRevokeSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => apiCall(revokeSession, { params: { id } }),
    onSettled: () => client.invalidateQueries(sessionsQuery),
  });
}

export function useRevokeOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiCall(revokeOtherSessions),
    onSettled: () => client.invalidateQueries(sessionsQuery),
  });
}

export async function fetchExport(): Promise<string> {
  const { data } = await apiCall(exportData);
  return JSON.stringify(data, null, 2);
}

export async function eraseAccount(removeWords: LeavingSpan): Promise<void> {
  await apiCall(deleteAccount, { query: { removeWords } });
  endSession('deleted');
}
