import { getMe, type ModeratorView } from '@unsaid/contract/moderation/console';
import { QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, CallError, onSessionEnd } from './api.ts';

interface Session {
  readonly me: ModeratorView | null;
  /** There was one in this tab, and the server ended it. */
  readonly hasEnded: boolean;
}

const key = ['session'] as const;
const none: Session = { me: null, hasEnded: false };

const sessionQuery = (client: QueryClient) =>
  queryOptions({
    queryKey: key,
    queryFn: async (): Promise<Session> => {
      try {
        return { me: (await call(getMe)).me, hasEnded: false };
      } catch (error) {
        if (error instanceof CallError && error.status === 401) return client.getQueryData(key) ?? none;
        throw error;
      }
    },
    // Another moderator may have been disabled meanwhile, and this one too.
    refetchInterval: 120_000,
  });

export function createClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 10_000, gcTime: 60_000, refetchOnWindowFocus: false },
    },
  });
  onSessionEnd(() => endSession(client, true));
  return client;
}

/** Forgets everything that was read. The page stays where it is, so that signing in returns to it. */
function endSession(client: QueryClient, isByServer: boolean): void {
  const before = client.getQueryData<Session>(key);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
  const hasEnded = isByServer && before !== undefined && (before.me !== null || before.hasEnded);
  client.setQueryData<Session>(key, { me: null, hasEnded });
}

export function useSession() {
  const client = useQueryClient();
  const query = useQuery(sessionQuery(client));
  return {
    query,
    begin: (me: ModeratorView) => client.setQueryData<Session>(key, { me, hasEnded: false }),
    end: () => endSession(client, false),
  };
}

/** The signed-in moderator: only below the gate in app.tsx. */
export function useMe(): ModeratorView {
  const { query } = useSession();
  if (!query.data?.me) throw new Error('Nobody is signed in.');
  return query.data.me;
}

export function useSetSevereLeft() {
  const client = useQueryClient();
  return (severeLeft: number) =>
    client.setQueryData<Session>(key, (session) =>
      session?.me ? { ...session, me: { ...session.me, severeLeft } } : session,
    );
}
