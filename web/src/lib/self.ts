import { getSelf, type SelfUser } from '@unsaid/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError, apiCall } from './api-client.ts';
import {
  confirmSession,
  getAccountId,
  getSession,
  getToken,
  refuseToken,
  startSession,
  subscribeToSession,
  type Session,
} from './session.ts';

export function useSession(): Session {
  return useSyncExternalStore(subscribeToSession, getSession);
}

const selfKey = ['self'] as const;

/** The server said no, and asking again will not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

export const selfQuery = queryOptions({
  queryKey: selfKey,
  queryFn: async ({ signal }): Promise<SelfUser> => {
    const token = getToken();
    try {
      const { user } = await apiCall(getSelf, { signal });
      confirmSession(user._id);
      return user;
    } catch (error) {
      if (isRefusal(error) && token !== null) refuseToken(token);
      throw error;
    }
  },
  staleTime: 60_000,
  // Kept and quietly retried for as long as the server cannot be reached.
  retry: (_failures, error) => !isRefusal(error),
  retryDelay: (failures, error) =>
    error instanceof ApiError && error.retryAfterSeconds
      ? error.retryAfterSeconds * 1000
      : Math.min(1000 * 2 ** failures, 15_000),
  networkMode: 'always',
});

/** The signed-in person; asks only while somebody is signed in. */
export function useSelf() {
  const { isSignedIn } = useSession();
  return useQuery({ ...selfQuery, enabled: isSignedIn });
}

/** Whose drafts are shown: also known before the server has answered, or when it cannot be reached. */
export function useAccountId(): string | null {
  const { data: self } = useSelf();
  return self?._id ?? getAccountId();
}

/** Asks at once, and not when the next of the quiet attempts is due. */
export function retrySelf(client: QueryClient): void {
  void client.resetQueries({ queryKey: selfKey });
}

export function setSelf(client: QueryClient, user: SelfUser): void {
  client.setQueryData(selfKey, user);
}

export function signIn(client: QueryClient, token: string, user: SelfUser): void {
  // Whatever an earlier person on this phone had loaded goes first.
  client.clear();
  setSelf(client, user);
  startSession(token, user._id);
}
