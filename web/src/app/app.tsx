import { CSPProvider } from '@base-ui/react/csp-provider';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import {
  MutationCache,
  onlineManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { StrictMode, useEffect, useSyncExternalStore } from 'react';
import { BrowserRouter } from 'react-router';
import { ApiError } from '../lib/api-client.ts';
import { currentUserQuery } from '../lib/current-user.ts';
import { getSession, subscribeToSession } from '../lib/session.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { AppRoutes } from './router.tsx';

/** Limited or suspended since the page was loaded: the account is fetched again, and the screens follow it. */
function refetchSanctioned(error: unknown): void {
  if (error instanceof ApiError && error.code.startsWith('ACCOUNT_'))
    void client.invalidateQueries(currentUserQuery);
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: refetchSanctioned }),
  mutationCache: new MutationCache({ onError: refetchSanctioned }),
  defaultOptions: {
    queries: {
      // Retries help against lost connections and server errors. Any other response would be the same again, and offline
      // there is none until the connection is back.
      retry: (failures, error) =>
        failures < 2 &&
        navigator.onLine &&
        (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      staleTime: 30_000,
      networkMode: 'always',
      // After a reconnect, only failed queries are refetched. Content that is being read must not move.
      refetchOnReconnect: (query) => query.state.status === 'error',
    },
    mutations: { networkMode: 'always' },
  },
});

// It takes a page as online until the first event. One that was loaded offline would miss its reconnect.
onlineManager.setOnline(navigator.onLine);

/**
 * Clears the query cache when the session ends or the account changes, so that no data of the previous
 * account stays.
 */
function useClearCacheOnSessionChange(): void {
  useEffect(() => {
    let last = getSession();
    return subscribeToSession(() => {
      const now = getSession();
      // A session that starts in this tab has already put its user into the cache.
      const isOwnStart = now.isSignedIn && !last.isSignedIn;
      if (now !== last && !isOwnStart) client.clear();
      last = now;
    });
  }, []);
}

/**
 * Re-renders the whole tree on a change of language: some strings come from plain functions that do not use
 * the provider's context.
 */
function useRerenderOnLocaleChange(): void {
  useSyncExternalStore(
    (listener) => i18n.on('change', listener),
    () => i18n.locale,
  );
}

export function App() {
  useClearCacheOnSessionChange();
  useRerenderOnLocaleChange();
  return (
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={client}>
            <BrowserRouter>
              <ErrorBoundary>
                <AppRoutes />
              </ErrorBoundary>
            </BrowserRouter>
          </QueryClientProvider>
        </CSPProvider>
      </I18nProvider>
    </StrictMode>
  );
}
