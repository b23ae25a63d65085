import { getSelf, type FirstVisit, type SelfUser } from '@unsaid/contract';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { ApiError, apiCall } from './api-client.ts';
import { startFirstVisit } from './first-visit.ts';
import { madeAt } from './new-account.ts';
import { confirmSession, getAccountId, getToken, rejectToken, startSession, useSession } from './session.ts';

const currentUserKey = ['self'] as const;

/** A 4xx other than 429: a retry would get the same response. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

export const currentUserQuery = queryOptions({
  queryKey: currentUserKey,
  queryFn: async ({ signal }): Promise<SelfUser> => {
    const token = getToken();
    try {
      const { user } = await apiCall(getSelf, { signal });
      confirmSession(user._id);
      return user;
    } catch (error) {
      if (isRefusal(error) && token !== null) rejectToken(token);
      throw error;
    }
  },
  staleTime: 60_000,
  // Retried without limit while the server is unreachable. The session stays.
  retry: (_failures, error) => !isRefusal(error),
  retryDelay: (failures, error) =>
    error instanceof ApiError && error.retryAfterSeconds
      ? error.retryAfterSeconds * 1000
      : Math.min(1000 * 2 ** failures, 15_000),
  networkMode: 'always',
});

/** The signed-in user. Fetched only while signed in. */
export function useCurrentUser() {
  const { isSignedIn } = useSession();
  return useQuery({ ...currentUserQuery, enabled: isSignedIn });
}

/** The account whose drafts are shown. Known from storage before the server has responded. */
export function useAccountId(): string | null {
  const { data: self } = useCurrentUser();
  return self?._id ?? getAccountId();
}

/** Retries now instead of after the next backoff delay. */
export function retryCurrentUser(client: QueryClient): void {
  void client.resetQueries({ queryKey: currentUserKey });
}

export function setCurrentUser(client: QueryClient, user: SelfUser): void {
  client.setQueryData(currentUserKey, user);
}

interface SignedIn {
  readonly token: string;
  readonly user: SelfUser;
  readonly firstVisit?: FirstVisit | undefined;
  readonly isNewUser?: boolean | undefined;
}

export function signIn(client: QueryClient, { token, user, firstVisit, isNewUser }: SignedIn): void {
  // Removes data loaded for a previous account in this tab.
  client.clear();
  setCurrentUser(client, user);
  // Before the session starts: the first page asks.
  if (firstVisit) startFirstVisit(user._id, firstVisit);
  startSession(token, user._id);
  if (isNewUser) madeAt.set(Date.now());
}
