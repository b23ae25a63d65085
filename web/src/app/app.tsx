import { CSPProvider } from '@base-ui/react/csp-provider';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useSyncExternalStore } from 'react';
import { BrowserRouter } from 'react-router';
import { ApiError } from '../lib/api-client.ts';
import { getSession, subscribeToSession } from '../lib/session.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { AppRoutes } from './router.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server has answered will not change by asking again; a lost connection might.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      staleTime: 30_000,
      networkMode: 'always',
      // What failed without a connection is asked for again with it; what somebody reads does not move.
      refetchOnReconnect: (query) => query.state.status === 'error',
    },
    mutations: { networkMode: 'always' },
  },
});

/** When somebody signs out or in elsewhere, nothing that was loaded for the one before may stay. */
function useFreshCachePerSession(): void {
  useEffect(() => {
    let last = getSession();
    return subscribeToSession(() => {
      const now = getSession();
      // A session that starts here has put its own user in the cache already.
      const isOwnStart = now.isSignedIn && !last.isSignedIn;
      if (now !== last && !isOwnStart) client.clear();
      last = now;
    });
  }, []);
}

/** Words come from plain functions too, not only from what listens to the provider: all of it is drawn again. */
function useAllWordsChange(): void {
  useSyncExternalStore(
    (listener) => i18n.on('change', listener),
    () => i18n.locale,
  );
}

export function App() {
  useFreshCachePerSession();
  useAllWordsChange();
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
