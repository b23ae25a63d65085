import { updateDetails, type SelfUser } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { useCurrentUser } from '../../lib/current-user.ts';
import { suggestionsKey } from '../../lib/feelings.ts';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { FeelingsCard } from './feelings-card.tsx';

function Shown() {
  const { data: self } = useCurrentUser();
  return self && <FeelingsCard self={self} />;
}

/** Mocks a server that responds with the current profile. */
function start(change: Partial<SelfUser> = {}) {
  const self = { ...testSelf, ...change };
  const requests = testServer(({ body }) => ({
    user: { ...self, feelingsStale: false, ...(body as object) },
  }));
  const page = renderSignedIn(<Shown />, self);
  page.client.setQueryData(suggestionsKey, []);
  const isAskedAgain = () => page.client.getQueryState(suggestionsKey)?.isInvalidated;
  return { ...page, requests, isAskedAgain };
}

afterEach(() => localStorage.clear());

const button = (name: string) => screen.getByRole('button', { name });

const open = () => userEvent.click(button('Name how you feel to see what you share'));

test('the line asks for feelings, saves the selection and refetches suggestions', async () => {
  const { requests, isAskedAgain } = start();
  await open();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await userEvent.click(button('Anxious'));
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Save'));
  const edit = await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [updateDetails.path, { feelings: ['Sad', 'Anxious'] }],
  ]);
  expect(isAskedAgain()).toBe(true);
  expect(screen.getByRole('list', { name: "You're feeling" }).textContent).toBe('SadAnxious');
  expect(document.activeElement).toBe(edit);
});

test('the question is one line until it is opened, and again when it is closed', async () => {
  start();
  expect(screen.queryByRole('group')).toBeNull();
  await open();
  expect(screen.getByRole('group', { name: 'How have you been feeling lately?' })).toBeTruthy();
  expect(document.activeElement).toBe(button('Happy'));
  await userEvent.click(button('Not now'));
  expect(screen.queryByRole('group')).toBeNull();
  expect(document.activeElement).toBe(button('Name how you feel to see what you share'));
});

test('the card asks again about stale feelings, and one tap confirms them', async () => {
  const { requests, isAskedAgain } = start({ feelings: ['Sad', 'Burnout'], feelingsStale: true });
  expect(screen.getByRole('heading', { name: 'Still feeling this way?' })).toBeTruthy();
  await userEvent.click(button('Still true'));
  await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(requests.map(({ body }) => body)).toEqual([{ feelings: ['Sad', 'Burnout'] }]);
  expect(isAskedAgain()).toBe(true);
  expect(screen.queryByText('Still feeling this way?')).toBeNull();
});

test('the card lets stale feelings be changed, and a cancelled change sends nothing', async () => {
  const { requests } = start({ feelings: ['Sad'], feelingsStale: true });
  await userEvent.click(button('Change'));
  await userEvent.click(button('Happy'));
  await userEvent.click(button('Cancel'));
  expect(screen.getByRole('heading', { name: 'Still feeling this way?' })).toBeTruthy();
  expect(document.activeElement).toBe(button('Change'));
  expect(requests).toEqual([]);
  await userEvent.click(button('Change'));
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Happy'));
  await userEvent.click(button('Save'));
  await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(requests.map(({ body }) => body)).toEqual([{ feelings: ['Happy'] }]);
});

test('the card shows an error and keeps the selection when saving fails', async () => {
  testServer(() => new Error('away'));
  renderSignedIn(<Shown />);
  await open();
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Save'));
  expect((await screen.findByRole('alert')).textContent).toContain("Couldn't reach Unsaid.");
  expect(button('Sad').getAttribute('aria-pressed')).toBe('true');
});
