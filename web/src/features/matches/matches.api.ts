import {
  acceptMatch,
  getUser,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  rejectMatch,
  updateDetails,
  type Emotion,
} from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from '../../lib/api-client.ts';
import { setFeelings, suggestionsKey } from '../../lib/feelings.ts';
import type { OpenMatch } from './match-view.ts';

const matchesKey = ['matches'] as const;

export const suggestionsQuery = queryOptions({
  queryKey: suggestionsKey,
  queryFn: async ({ signal }) => (await apiCall(matchSuggestions, { signal })).matches,
  // The list somebody reads does not move under their eyes.
  refetchOnWindowFocus: false,
});

export const pendingQuery = queryOptions({
  queryKey: [...matchesKey, 'pending'],
  queryFn: ({ signal }) => apiCall(pendingMatches, { signal }),
  // Whoever looks here wants to know about now.
  staleTime: 0,
});

export const historyQuery = queryOptions({
  queryKey: [...matchesKey, 'history'],
  queryFn: async ({ signal }) => (await apiCall(matchHistory, { signal })).history,
  staleTime: 0,
});

export function userQuery(id: string) {
  return queryOptions({
    queryKey: ['user', id],
    queryFn: async ({ signal }) => (await apiCall(getUser, { params: { id }, signal })).user,
    staleTime: 60_000,
  });
}

/** Also to say that they are still true. */
export function useNameFeelings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (feelings: readonly Emotion[]) =>
      apiCall(updateDetails, { body: { feelings: [...feelings] } }),
    onSuccess: ({ user }) => setFeelings(client, user),
  });
}

/** Nobody there, or nobody whose profile may be read any more. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The pair is over, or the other one has left: no answer will be taken any more. */
export function isTooLate(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'MATCH_NOT_FOUND' || error.code === 'MATCH_CLOSED');
}

async function haveBothSaidYes(client: QueryClient, { id, hasTheirYes }: OpenMatch): Promise<boolean> {
  try {
    const history = await client.fetchQuery({ ...historyQuery, retry: false });
    return history.some(({ matchId, status }) => matchId === id && status === 'accepted');
  } catch {
    return hasTheirYes;
  }
}

/** Says yes or no to one person, and tells whether both have now said yes. */
export function useAnswer(match: OpenMatch) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (isYes: boolean): Promise<{ readonly isMutual: boolean }> => {
      const body = { matchId: match.id };
      if (!isYes) {
        await apiCall(rejectMatch, { body });
        return { isMutual: false };
      }
      await apiCall(acceptMatch, { body });
      // The other one may have said yes since the card was drawn.
      return { isMutual: await haveBothSaidYes(client, match) };
    },
    onSettled: (_, error, isYes) => {
      if (error !== null && !isTooLate(error)) return;
      // After a no their profile is not to be read any more, from the cache neither.
      if (!isYes || error) client.removeQueries(userQuery(match.other.id));
      void client.invalidateQueries({ queryKey: matchesKey });
    },
  });
}

/** Takes somebody who was answered out of the lists; what the server says about them follows. */
export function dropMatch(client: QueryClient, id: string): void {
  client.setQueryData(suggestionsQuery.queryKey, (matches) => matches?.filter(({ _id }) => _id !== id));
  client.setQueryData(
    pendingQuery.queryKey,
    (pending) =>
      pending && {
        ...pending,
        receivedMatches: pending.receivedMatches.filter(({ matchId }) => matchId !== id),
      },
  );
}
