import type { FirstVisit } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { setCurrentUser, signIn } from '../lib/current-user.ts';
import { endSession } from '../lib/session.ts';
import { testSelf } from '../lib/testing.tsx';
import { GuestsOnly, SignedInOnly } from './guards.tsx';

function Where({ name }: { name: string }) {
  const { state } = useLocation();
  return (
    <p>
      {name} {JSON.stringify(state)}
    </p>
  );
}

const ask = (visit: string, onAnswer: () => void) => (
  <button type="button" onClick={onAnswer}>
    asked: {visit}
  </button>
);

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
            <Route element={<SignedInOnly ask={ask} />}>
              <Route path="/" element={<Where name="home" />} />
              <Route path="/matches" element={<Where name="matches" />} />
              <Route path="/vents" element={<Where name="feed" />} />
              <Route path="/notices" element={<Where name="notices" />} />
              <Route path="/settings" element={<Where name="settings" />} />
              <Route path="/vent/:id" element={<Where name="vent" />} />
            </Route>
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>
    </I18nProvider>,
  );
}

function enter(firstVisit?: FirstVisit) {
  client = new QueryClient();
  act(() => signIn(client, { token: 'uns_test', user: testSelf, firstVisit }));
}

afterEach(() => {
  act(() => endSession('logout'));
  client = new QueryClient();
});

test('the guard sends a stranger to the sign-in form without a return path (S2.29)', () => {
  open('/matches');
  expect(screen.getByText('login null')).toBeTruthy();
});

test('the guard lets a signed-in user pass', () => {
  enter();
  open('/matches');
  expect(screen.getByText(/^matches/u)).toBeTruthy();
});

test('the guard redirects a signed-in user from the sign-in form to home', () => {
  enter();
  open('/login');
  expect(screen.getByText(/^home/u)).toBeTruthy();
});

test('an expired session returns to its page after sign-in', () => {
  enter();
  open('/matches');
  act(() => endSession('refused'));
  expect(screen.getByText('login {"returnTo":"/matches"}')).toBeTruthy();
});

test('the guard shows neither page nor form while the token is unverified', async () => {
  enter();
  client.clear();
  open('/matches');
  expect(screen.queryByText(/matches|login/u)).toBeNull();
  expect(await screen.findByText('Loading')).toBeTruthy();
  act(() => setCurrentUser(client, testSelf));
  expect(await screen.findByText(/^matches/u)).toBeTruthy();
});

test('the offline page offers Write and Retry when the server is unreachable', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  enter();
  client.clear();
  open('/matches');
  expect(await screen.findByRole('heading', { name: 'No internet right now' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Write' }).getAttribute('href')).toBe('/vent/create');
  expect(screen.queryByText(/^matches|^login/u)).toBeNull();
  act(() => setCurrentUser(client, testSelf));
  expect(await screen.findByText(/^matches/u)).toBeTruthy();
});

test('a page with a composer opens offline if the account is known', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  enter();
  client.clear();
  open('/vents');
  expect(await screen.findByText(/^feed/u, undefined)).toBeTruthy();
});

test('a suspended person is led to the notices, and can use the settings', () => {
  enter();
  act(() => setCurrentUser(client, { ...testSelf, suspended: true }));
  open('/vents');
  expect(screen.getByText('notices null')).toBeTruthy();
  cleanup();
  open('/settings');
  expect(screen.getByText('settings null')).toBeTruthy();
});

const firstVisit: FirstVisit = { since: '2026-11', hasCode: true, otherSessions: 2 };
const question = () => screen.queryByRole('button', { name: 'asked: 2026-11 1 2' });

test('a first visit asks in place of every page, also after a reload, until it is answered', () => {
  enter(firstVisit);
  for (const path of ['/', '/vents', '/settings']) {
    open(path);
    expect(question()).not.toBeNull();
    expect(screen.queryByText(/home|feed|settings/u)).toBeNull();
    cleanup();
  }
  open('/vents');
  act(() => question()?.click());
  expect(screen.getByText('feed null')).toBeTruthy();
  cleanup();
  open('/');
  expect(question()).toBeNull();
});

test('the question of a first visit is of one account, and goes with it at log-out', () => {
  enter(firstVisit);
  act(() => setCurrentUser(client, { ...testSelf, _id: 'another' }));
  open('/');
  expect(question()).toBeNull();
  cleanup();
  act(() => endSession('logout'));
  expect(Object.keys(localStorage).filter((key) => key.includes('first-visit'))).toEqual([]);
  enter();
  open('/');
  expect(question()).toBeNull();
});
