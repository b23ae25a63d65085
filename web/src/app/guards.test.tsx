import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import type { SelfUser } from '@unsaid/contract';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { afterEach, expect, it } from 'vitest';
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
