import {
  acceptMatch,
  getUser,
  matchHistory,
  matchSuggestions,
  partMatch,
  pendingMatches,
  rejectMatch,
  updateDetails,
  withdrawMatch,
  type Emotion,
} from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from '../../lib/api-client.ts';
import { setFeelings, suggestionsKey } from '../../lib/feelings.ts';
import type { AnswerKind, OpenMatch } from './match-view.ts';

const matchesKey = ['matches'] as const;

export function refreshMatches(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: matchesKey });
  void client.invalidateQueries({ queryKey: suggestionsKey });
}

export const suggestionsQuery = queryOptions({
  queryKey: suggestionsKey,
  queryFn: async ({ signal }) => (await apiCall(matchSuggestions, { signal })).matches,
  // A list that is being read must not move.
  refetchOnWindowFocus: false,
});

export const pendingQuery = queryOptions({
  queryKey: [...matchesKey, 'pending'],
  queryFn: ({ signal }) => apiCall(pendingMatches, { signal }),
  // Refetched on every visit, to be current.
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

/** Also used to confirm unchanged feelings. */
export function useNameFeelings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (feelings: readonly Emotion[]) =>
      apiCall(updateDetails, { body: { feelings: [...feelings] } }),
    onSuccess: ({ user }) => setFeelings(client, user),
  });
}

/** The person does not exist, or their profile is no longer visible. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The pair has ended, or the other person has left: no reply is accepted. */
export function isTooLate(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'MATCH_NOT_FOUND' || error.code === 'MATCH_CLOSED');
}

async function haveBothSaidYes(client: QueryClient, { id }: OpenMatch): Promise<boolean> {
  try {
    const history = await client.fetchQuery({ ...historyQuery, retry: false });
    return history.some(({ matchId, status }) => matchId === id && status === 'accepted');
  } catch {
    // The history shows it later.
    return false;
  }
}

const endpoints = {
  accept: acceptMatch,
  reject: rejectMatch,
  withdraw: withdrawMatch,
  part: partMatch,
} as const;

/** Sends an answer, and tells whether both have now accepted. The page may be closed before the response. */
export async function sendAnswer(
  client: QueryClient,
  match: OpenMatch,
  kind: AnswerKind,
): Promise<{ readonly isMutual: boolean }> {
  const reload = ({ isProfileVisible }: { readonly isProfileVisible: boolean }) => {
    if (!isProfileVisible) client.removeQueries(userQuery(match.other.id));
    void client.invalidateQueries({ queryKey: matchesKey });
  };
  try {
    await apiCall(endpoints[kind], { body: { matchId: match.id }, keepalive: true });
  } catch (error) {
    if (!isTooLate(error)) throw error;
    // The other person's yes was faster than taking back one's own.
    const isMutual = kind === 'withdraw' && (await haveBothSaidYes(client, match));
    reload({ isProfileVisible: isMutual });
    if (isMutual) return { isMutual };
    throw error;
  }
  // The other person may have accepted since the card was rendered.
  const isMutual = kind === 'accept' && (await haveBothSaidYes(client, match));
  reload({ isProfileVisible: kind === 'accept' });
  return { isMutual };
}

/** Removes a match from the cached lists after a reply. The refetch follows. */
export function dropMatch(client: QueryClient, id: string): void {
  client.setQueryData(suggestionsQuery.queryKey, (matches) => matches?.filter(({ _id }) => _id !== id));
  client.setQueryData(
    pendingQuery.queryKey,
    (pending) =>
      pending && {
        ...pending,
        receivedMatches: pending.receivedMatches.filter(({ matchId }) => matchId !== id),
        sentMatches: pending.sentMatches.filter(({ matchId }) => matchId !== id),
      },
  );
}
