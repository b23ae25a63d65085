import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import type { SelfUser } from '@unsaid/contract';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { setSelf, signIn } from '../lib/self.ts';
import { endSession } from '../lib/session.ts';
import { GuestsOnly, SignedInOnly } from './guards.tsx';

const self: SelfUser = {
  _id: 'u1',
  username: null,
  bio: '',
  profilePic: '/avatars/x.svg',
  interests: [],
  likes: [],
  dislikes: [],
  feelings: [],
  feelingsStale: false,
  allowComments: true,
  preferences: { matchPreference: null, anonymousChat: true },
  profileCompleted: false,
};

function Where({ name }: { name: string }) {
  const { state } = useLocation();
  return (
    <p>
      {name} {JSON.stringify(state)}
    </p>
  );
}

let client = new QueryClient();
/** Two attempts, a second apart. */
const patience = { timeout: 4000 };

function open(path: string) {
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={[path]}>
          <Routes>
            <Route element={<GuestsOnly />}>
              <Route path="/login" element={<Where name="login" />} />
            </Route>
            <Route element={<SignedInOnly />}>
              <Route path="/" element={<Where name="home" />} />
              <Route path="/matches" element={<Where name="matches" />} />
              <Route path="/vents" element={<Where name="feed" />} />
              <Route path="/vent/:id" element={<Where name="vent" />} />
            </Route>
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>
    </I18nProvider>,
  );
}

function enter() {
  client = new QueryClient();
  act(() => signIn(client, 'uns_test', self));
}

afterEach(() => {
  act(() => endSession('logout'));
  client = new QueryClient();
});

it('sends a stranger to the sign-in form and forgets where they were going', () => {
  open('/matches');
  expect(screen.getByText('login null')).toBeTruthy();
});

it('lets the signed-in pass', () => {
  enter();
  open('/matches');
  expect(screen.getByText(/^matches/u)).toBeTruthy();
});

it('sends the signed-in home from the sign-in form', () => {
  enter();
  open('/login');
  expect(screen.getByText(/^home/u)).toBeTruthy();
});

it('comes back to the page when the session ends in mid-use', () => {
  enter();
  open('/matches');
  act(() => endSession('refused'));
  expect(screen.getByText('login {"returnTo":"/matches"}')).toBeTruthy();
});

it('shows neither the page nor the form while the token cannot be checked', async () => {
  enter();
  client.clear();
  open('/matches');
  expect(screen.queryByText(/matches|login/u)).toBeNull();
  expect(screen.getByRole('status').textContent).toContain('Loading');
  act(() => setSelf(client, self));
  expect(await screen.findByText(/^matches/u)).toBeTruthy();
});

it('says calmly that there is no connection, and keeps the way to writing and to Retry', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  enter();
  client.clear();
  open('/matches');
  expect(await screen.findByRole('heading', { name: 'No connection just now' }, patience)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Write' }).getAttribute('href')).toBe('/vent/create');
  expect(screen.queryByText(/^matches|^login/u)).toBeNull();
  act(() => setSelf(client, self));
  expect(await screen.findByText(/^matches/u)).toBeTruthy();
});

it('opens the page where somebody writes without waiting for the server, if it is known whose draft it is', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  enter();
  client.clear();
  open('/vents');
  expect(await screen.findByText(/^feed/u, undefined, patience)).toBeTruthy();
});
