import {
  acceptMatch,
  matchSuggestions,
  pendingMatches,
  rejectMatch,
  type MatchSuggestion,
} from '@unsaid/contract';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { MatchesPage } from './matches.page.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function suggest(username: string, change: Partial<MatchSuggestion> = {}): MatchSuggestion {
  return {
    _id: `match-${username}`,
    user1: { _id: testSelf._id, username: testSelf.username, profilePic: '/avatars/x.svg' },
    user2: { _id: username, username, profilePic: '/avatars/y.svg' },
    user1Accepted: false,
    user2Accepted: false,
    matchScore: 0.8,
    commonEmotions: [],
    bio: '',
    commonInterests: [],
    reasons: [],
    ...change,
  };
}

/** Suggests these people until they are answered. */
function startServer(...people: MatchSuggestion[]) {
  let matches = people;
  const requests = testServer(({ path, body }) => {
    if (path === matchSuggestions.path) return { matches };
    if (path === pendingMatches.path) return { receivedMatches: [], sentMatches: [] };
    if (path === acceptMatch.path || path === rejectMatch.path) {
      matches = matches.filter(({ _id }) => _id !== (body as { matchId: string }).matchId);
      return { isMutual: false };
    }
    return { history: [] };
  });
  return {
    /** How often the suggestions were asked for. */
    loads: () => requests.filter(({ path }) => path === matchSuggestions.path).length,
    answers: () =>
      requests
        .filter(({ method, path }) => method === 'POST' && /\/(?:accept|reject)$/u.test(path))
        .map(({ path, body }) => `${path.split('/').at(-1)} ${(body as { matchId: string }).matchId}`),
  };
}

const pass = (ms = 0) => act(() => vi.advanceTimersByTimeAsync(ms));
const button = (name: string) => screen.getByRole('button', { name });
const names = () =>
  screen.getAllByRole('article').map((card) => within(card).getByRole('heading').textContent);

async function open(...people: MatchSuggestion[]) {
  const server = startServer(...people);
  renderSignedIn(<MatchesPage />);
  await pass(100);
  return server;
}

/** As by mouse or keyboard, which both focus the button. */
function press(name: string): void {
  button(name).focus();
  fireEvent.click(button(name));
}

test('an answered card stays in its place for four seconds, and Undo sends nothing', async () => {
  const { answers } = await open(suggest('one'), suggest('two'));
  for (const [answer, sentence] of [
    ['Reject', 'You passed on one.'],
    ['Accept', 'You said yes.'],
  ] as const) {
    press(`${answer} one`);
    await pass();
    expect(document.activeElement?.textContent).toBe(sentence);
    expect(names()).toEqual(['one', 'two']);
    await pass(3000);
    fireEvent.click(button('Undo'));
    await pass(1500);
    expect(screen.queryByText(sentence)).toBeNull();
    expect(document.activeElement).toBe(button(`${answer} one`));
  }
  expect(answers()).toEqual([]);
  press('Reject one');
  await pass(3900);
  expect(answers()).toEqual([]);
  await pass(200);
  expect(answers()).toEqual(['reject match-one']);
  expect(names()).toEqual(['two']);
  // The next card has the focus.
  expect(document.activeElement).toBe(screen.getByRole('article'));
});

test('the time for an undo waits while Undo has the focus or the pointer, and then goes on', async () => {
  const { answers } = await open(suggest('one'));
  press('Reject one');
  await pass(1000);
  act(() => button('Undo').focus());
  await pass(5000);
  expect(button('Undo')).toBeTruthy();
  act(() => button('Undo').blur());
  fireEvent.pointerEnter(button('Undo'));
  await pass(1000);
  expect(answers()).toEqual([]);
  fireEvent.pointerLeave(button('Undo'));
  await pass(2900);
  expect(answers()).toEqual([]);
  await pass(200);
  expect(answers()).toEqual(['reject match-one']);
});

test('an answer whose Undo keeps the focus is sent after 16 seconds', async () => {
  const { answers } = await open(suggest('one'));
  press('Reject one');
  await pass();
  act(() => button('Undo').focus());
  await pass(15_900);
  expect(answers()).toEqual([]);
  await pass(200);
  expect(answers()).toEqual(['reject match-one']);
});

test('a second press on an answered card answers nobody', async () => {
  const { answers } = await open(suggest('one'), suggest('two'));
  const accept = button('Accept one');
  fireEvent.click(accept);
  await pass();
  // Behind the sentence the buttons take no press.
  expect(accept.closest('[inert]')).not.toBeNull();
  await pass(4100);
  expect(answers()).toEqual(['accept match-one']);
  expect(names()).toEqual(['two']);
});

test('a card shows the first line of the bio, what both like, and the score in words', async () => {
  await open(
    suggest('one', {
      bio: 'Chai over coffee.',
      matchScore: 0.85,
      commonInterests: ['rain', 'old songs', 'cricket'],
      commonEmotions: ['Sad'],
    }),
  );
  const card = within(screen.getByRole('article'));
  expect(card.getByText('Chai over coffee.')).toBeTruthy();
  const listOf = (name: string) =>
    within(card.getByRole('list', { name }))
      .getAllByRole('listitem')
      .map((item) => item.textContent);
  expect(listOf('You both:')).toEqual(['rain', 'old songs', 'cricket']);
  expect(listOf('Feelings you share')).toEqual(['Sad']);
  expect(card.getByText('Strong match')).toBeTruthy();
  expect(card.getByText('0.85')).toBeTruthy();
});

test('an empty list of suggestions says so and asks again', async () => {
  const { loads } = await open();
  expect(screen.getByText('No match suggestions available.')).toBeTruthy();
  fireEvent.click(button('Look again'));
  await pass(100);
  expect(loads()).toBe(2);
});

test('the question how one feels comes with the cards, so that they do not move it', async () => {
  startServer(suggest('one'));
  renderSignedIn(<MatchesPage />);
  const question = () => screen.queryByRole('button', { name: 'Name how you feel to see what you share' });
  expect(question()).toBeNull();
  await pass(100);
  expect(names()).toEqual(['one']);
  expect(question()).not.toBeNull();
});
