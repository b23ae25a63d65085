import { commentOnVent, listen, limits, type VentView } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { endSession } from '../../../lib/session.ts';
import { makeVentView, renderSignedIn, testComment, testServer } from '../../../lib/testing.tsx';
import { canAsk, countAnswer, countAsk, stopForToday } from './listening-day.ts';
import { ListenPage } from './listen.page.tsx';
import { WaitingRegion } from './waiting-region.tsx';

beforeEach(() => {
  endSession('logout');
  localStorage.clear();
  window.scrollTo = () => undefined;
});

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const titles = () => screen.queryAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);

const waits = (_id: string, change: Partial<VentView> = {}) =>
  makeVentView({ _id, title: `Vent ${_id}`, ...change });
const heavy = waits('heavy', { text: "I don't want to live anymore. I want to kill myself." });

/** Answers each draw with the next batch, and with the last one from then on. */
function serverWith(...draws: VentView[][]) {
  let drawn = 0;
  return testServer(({ path }) =>
    path === listen.path
      ? { vents: draws[Math.min(drawn++, draws.length - 1)] }
      : path === commentOnVent.path
        ? { comment: testComment }
        : { reactions: { heart: 0, hug: 1, listen: 0 }, myReactions: ['hug'] },
  );
}

test('one vent at a time: passed ones do not come back, and the next five are asked for', async () => {
  const requests = serverWith([waits('a'), waits('b')], [waits('a'), waits('c')], []);
  renderSignedIn(<ListenPage />);
  expect(await screen.findByText('Vent a')).toBeTruthy();
  expect(titles()).toEqual(['Vent a']);
  await press('Pass');
  expect(await screen.findByText('Vent b')).toBeTruthy();
  await press('Pass');
  expect(await screen.findByText('Vent c')).toBeTruthy();
  await press('Pass');
  expect(await screen.findByText('Everyone has been heard for now.')).toBeTruthy();
  expect(requests.map(({ path, query }) => [path, query.get('count'), query.get('reads')])).toEqual(
    Array.from({ length: 3 }, () => [listen.path, String(limits.listenCount), 'en,hinglish']),
  );
});

test('where all that wait were passed, they can be seen again', async () => {
  serverWith([waits('a')]);
  renderSignedIn(<ListenPage />);
  await press('Pass');
  await press('Look again');
  expect(await screen.findByText('Vent a')).toBeTruthy();
});

test('heavy vents come last, with a word to the listener, and first for who asks for them', async () => {
  serverWith([heavy, waits('light')]);
  const page = renderSignedIn(<ListenPage />);
  expect(await screen.findByText('Vent light')).toBeTruthy();
  expect(screen.queryByText(/You don't have to fix it/u)).toBeNull();
  await press('Pass');
  expect(await screen.findByText('Vent heavy')).toBeTruthy();
  expect(screen.getByText(/You don't have to fix it/u)).toBeTruthy();
  page.unmount();
  localStorage.setItem('unsaid.heavier', 'too');
  endSession('logout');
  localStorage.setItem('unsaid.heavier', 'too');
  renderSignedIn(<ListenPage />);
  expect(await screen.findByText('Vent heavy')).toBeTruthy();
});

test('feelings that the listener knows come first', async () => {
  serverWith([waits('a', { emotion: 'Angry' }), waits('b', { emotion: 'Sad' })]);
  localStorage.setItem('unsaid.been-there', 'Sad');
  renderSignedIn(<ListenPage />);
  expect(await screen.findByText('Vent b')).toBeTruthy();
});

test('an answer stays on screen until the listener goes on, and is counted in this browser', async () => {
  serverWith([waits('a'), waits('b')]);
  renderSignedIn(<ListenPage />);
  await press('Say something');
  const box = await screen.findByLabelText('Your comment');
  expect(document.activeElement).toBe(box);
  await userEvent.type(box, "I'm here.");
  await press('Comment');
  expect(await screen.findByText("Sent. It'll reach them.")).toBeTruthy();
  expect(titles()).toEqual(['Vent a']);
  expect(localStorage.getItem('unsaid.listening')).toMatch(/^\d{4}-\d\d-\d\d 1 0 0$/u);
  await press('Next person');
  expect(await screen.findByText('Vent b')).toBeTruthy();
  endSession('logout');
  expect(localStorage.getItem('unsaid.listening')).toBeNull();
});

test('a hug is sent, and the vent stays', async () => {
  serverWith([waits('a')]);
  renderSignedIn(<ListenPage />);
  await press('Send a hug');
  expect(await screen.findByRole('button', { name: 'Hug sent' })).toBeTruthy();
  expect(titles()).toEqual(['Vent a']);
});

test('a vent that wants a hug offers a hug and no comment field', async () => {
  const noComments = { _id: 'alias', allowComments: false };
  serverWith([waits('a', { need: 'hug', userId: noComments }), waits('b', { need: 'advice' })]);
  renderSignedIn(<ListenPage />);
  expect(await screen.findByText('A hug is enough.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Say something' })).toBeNull();
  await press('Send a hug');
  await screen.findByRole('button', { name: 'Hug sent' });
  await press('Next person');
  expect(await screen.findByText('Advice is welcome.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Say something' })).toBeTruthy();
});

test('after five answers in a day it says so, and one more is possible', async () => {
  serverWith([waits('a')]);
  for (let answers = 0; answers < 5; answers += 1) countAnswer();
  renderSignedIn(<ListenPage />);
  expect(await screen.findByText("You've answered 5 people today.")).toBeTruthy();
  expect(screen.queryByText('Vent a')).toBeNull();
  await press('One more');
  expect(await screen.findByText('Vent a')).toBeTruthy();
});

test('a lost connection is told, and can be tried again', async () => {
  let isOnline = false;
  testServer(() => (isOnline ? { vents: [waits('a')] } : new Error('offline')));
  renderSignedIn(<ListenPage />);
  await screen.findByRole('alert');
  isOnline = true;
  await press('Retry');
  expect(await screen.findByText('Vent a')).toBeTruthy();
});

test('the region asks when the reader gets there, and shows two that are not on the page', async () => {
  let see: (() => void) | undefined;
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(notify: (entries: object[]) => void) {
        see = () => notify([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  const requests = serverWith([waits('a'), waits('b'), waits('c'), waits('d')]);
  renderSignedIn(<WaitingRegion page={1} shown={['b']} isAfterPost={false} />);
  expect(requests).toEqual([]);
  see?.();
  expect(await screen.findByText('Vent a')).toBeTruthy();
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Vent a',
    'Vent c',
  ]);
  await press('Not today');
  expect(localStorage.getItem('unsaid.listening')).toMatch(/ 0 0 1$/u);
  vi.unstubAllGlobals();
});

test('the region asks at once after a post: that it does not must not tell a vent that is held back', async () => {
  const requests = serverWith([waits('a')]);
  renderSignedIn(<WaitingRegion page={1} shown={[]} isAfterPost />);
  expect(await screen.findByText('Vent a')).toBeTruthy();
  expect(requests).toHaveLength(1);
});

test('who has just posted is asked twice a day, and not after "Not today"', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 18, 12) });
  expect(canAsk()).toBe(true);
  countAsk();
  countAsk();
  expect(canAsk()).toBe(false);
  vi.setSystemTime(new Date(2026, 10, 19, 0, 1));
  expect(canAsk()).toBe(true);
  stopForToday();
  expect(canAsk()).toBe(false);
  vi.setSystemTime(new Date(2026, 10, 20, 0, 1));
  expect(canAsk()).toBe(true);
  vi.useRealTimers();
});
