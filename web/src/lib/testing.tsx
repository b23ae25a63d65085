import type { CommentView, SelfUser, VentView } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { vi } from 'vitest';
import { setSelf } from './self.ts';
import { startSession } from './session.ts';

/** For tests of what is shown: people, vents, a server, and a page with somebody signed in. */
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

export function testVent(change: Partial<VentView> = {}): VentView {
  return {
    _id: 'v1',
    title: 'Exams',
    text: 'Said at last.',
    emotion: 'Anxious',
    hashtags: [],
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

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answers every call, and notes what was asked. An `Error` stands for a lost connection. */
export function testServer(answer: (asked: Asked) => object | Promise<object>): Asked[] {
  const all: Asked[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    const url = new URL(address as string, 'http://unsaid.test');
    const asked: Asked = {
      method: init?.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    };
    all.push(asked);
    const answered = await answer(asked);
    if (answered instanceof Error) throw answered;
    return answered instanceof Response ? answered : Response.json({ success: true, ...answered });
  });
  return all;
}

/** Around what is shown without anybody signed in. */
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
  setSelf(client, self);
  const { rerender, unmount } = render(withProviders(page, client));
  return { client, unmount, show: (next: ReactNode) => rerender(withProviders(next, client)) };
}
