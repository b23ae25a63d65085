import type { CommentView, SelfUser, VentView } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { vi } from 'vitest';
import { setCurrentUser } from './current-user.ts';
import { startSession } from './session.ts';

/** Fixtures for component tests: a user, vents, a mock server, and a page with a signed-in user. */
export const testSelf: SelfUser = {
  _id: 'u1',
  username: 'calm_river',
  bio: '',
  profilePic: '/avatars/x.svg',
  interests: [],
  likes: [],
  dislikes: [],
  feelings: [],
  feelingsStale: false,
  allowComments: true,
  preferences: { matchPreference: null, anonymousChat: true },
  profileCompleted: true,
};

export function makeVentView(change: Partial<VentView> = {}): VentView {
  return {
    _id: 'v1',
    title: 'Exams',
    text: 'Said at last.',
    emotion: 'Anxious',
    hashtags: [],
    need: null,
    keepDays: null,
    createdAt: '2026-11-15T12:00:00Z',
    userId: { _id: 'alias', allowComments: true },
    reactions: { heart: 0, hug: 0, listen: 0 },
    comments: [],
    commentCount: 0,
    isOwner: false,
    myReactions: [],
    ...change,
  };
}

export const testComment: CommentView = {
  _id: 'c1',
  text: 'And it passed.',
  createdAt: '2026-11-15T00:00:00+05:30',
  userId: { username: null, profilePic: null },
  isMine: true,
  isAuthor: false,
};

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Mocks `fetch` and records every request. An `Error` simulates a lost connection. */
export function testServer(respond: (request: SentRequest) => object | Promise<object>): SentRequest[] {
  const requests: SentRequest[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    const url = new URL(address as string, 'http://unsaid.test');
    const request: SentRequest = {
      method: init?.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    };
    requests.push(request);
    const response = await respond(request);
    if (response instanceof Error) throw response;
    return response instanceof Response ? response : Response.json({ success: true, ...response });
  });
  return requests;
}

/** Wraps a component in the providers, without a session. */
export function withProviders(shown: ReactNode, client = new QueryClient()) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <MemoryRouter>{shown}</MemoryRouter>
      </QueryClientProvider>
    </I18nProvider>
  );
}

export function renderSignedIn(page: ReactNode, self = testSelf) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  startSession('uns_test', self._id);
  setCurrentUser(client, self);
  const { rerender, unmount } = render(withProviders(page, client));
  return { client, unmount, show: (next: ReactNode) => rerender(withProviders(next, client)) };
}
