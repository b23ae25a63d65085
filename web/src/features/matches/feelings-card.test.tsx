import { updateDetails, type SelfUser } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { suggestionsKey } from '../../lib/feelings.ts';
import { useSelf } from '../../lib/self.ts';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { FeelingsCard } from './feelings-card.tsx';

function Shown() {
  const { data: self } = useSelf();
  return self && <FeelingsCard self={self} />;
}

/** Answers as the server does: with the profile as it is now. */
function start(change: Partial<SelfUser> = {}) {
  const self = { ...testSelf, ...change };
  const asked = testServer(({ body }) => ({ user: { ...self, feelingsStale: false, ...(body as object) } }));
  const page = renderSignedIn(<Shown />, self);
  page.client.setQueryData(suggestionsKey, []);
  const isAskedAgain = () => page.client.getQueryState(suggestionsKey)?.isInvalidated;
  return { ...page, asked, isAskedAgain };
}

afterEach(() => localStorage.clear());

const button = (name: string) => screen.getByRole('button', { name });

it('asks while none are named, saves what is picked, and looks for people anew', async () => {
  const { asked, isAskedAgain } = start();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await userEvent.click(button('Anxious'));
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Save'));
  const edit = await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    [updateDetails.path, { feelings: ['Sad', 'Anxious'] }],
  ]);
  expect(isAskedAgain()).toBe(true);
  expect(screen.getByRole('list', { name: "You're feeling" }).textContent).toBe('SadAnxious');
  expect(document.activeElement).toBe(edit);
});

it('can be waved away, and stays as one line that opens it again', async () => {
  const { unmount } = start();
  await userEvent.click(button('Not now'));
  expect(screen.queryByRole('group')).toBeNull();
  unmount();
  start();
  const line = button('Name how you feel to see what you share');
  expect(screen.queryByRole('group')).toBeNull();
  await userEvent.click(line);
  expect(screen.getByRole('group', { name: 'How have you been feeling lately?' })).toBeTruthy();
  expect(document.activeElement).toBe(button('Happy'));
});

it('asks again when they have grown old: one tap sends the same', async () => {
  const { asked, isAskedAgain } = start({ feelings: ['Sad', 'Burnout'], feelingsStale: true });
  expect(screen.getByRole('heading', { name: 'Still feeling this way?' })).toBeTruthy();
  await userEvent.click(button('Still true'));
  await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(asked.map(({ body }) => body)).toEqual([{ feelings: ['Sad', 'Burnout'] }]);
  expect(isAskedAgain()).toBe(true);
  expect(screen.queryByText('Still feeling this way?')).toBeNull();
});

it('or they are changed, and a change that is cancelled sends nothing', async () => {
  const { asked } = start({ feelings: ['Sad'], feelingsStale: true });
  await userEvent.click(button('Change'));
  await userEvent.click(button('Happy'));
  await userEvent.click(button('Cancel'));
  expect(screen.getByRole('heading', { name: 'Still feeling this way?' })).toBeTruthy();
  expect(document.activeElement).toBe(button('Change'));
  expect(asked).toEqual([]);
  await userEvent.click(button('Change'));
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Happy'));
  await userEvent.click(button('Save'));
  await screen.findByRole('button', { name: 'Edit how you feel' });
  expect(asked.map(({ body }) => body)).toEqual([{ feelings: ['Happy'] }]);
});

it('says what failed and keeps what was picked', async () => {
  testServer(() => new Error('away'));
  renderSignedIn(<Shown />);
  await userEvent.click(button('Sad'));
  await userEvent.click(button('Save'));
  expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Unsaid.');
  expect(button('Sad').getAttribute('aria-pressed')).toBe('true');
});
