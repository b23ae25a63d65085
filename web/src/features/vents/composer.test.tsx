import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { readDraft } from '../../lib/drafts.ts';
import { renderSignedIn, testSelf, testServer, testVent } from '../../lib/testing.tsx';
import { Composer } from './composer.tsx';

beforeEach(() => localStorage.clear());

const theSwitch = () => screen.getByRole('switch', { name: 'Let people comment' });
const isOn = () => theSwitch().getAttribute('aria-checked');

async function write(): Promise<void> {
  await userEvent.type(screen.getByLabelText('Title'), 'T');
  await userEvent.type(screen.getByLabelText('Text'), 'x');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
}

it.each([true, false])('begins as the profile’s switch stands (%s), and says so', async (allowComments) => {
  const asked = testServer(() => ({ vent: testVent() }));
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />, { ...testSelf, allowComments });
  expect(isOn()).toBe(String(allowComments));
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await expect.poll(() => onPosted.mock.calls.length).toBe(1);
  expect(asked[0]?.body).toMatchObject({ title: 'T', allowComments });
});

it('keeps the choice with the draft, sends it, and begins anew after posting', async () => {
  let isAway = true;
  const asked = testServer(() => (isAway ? new TypeError('away') : { vent: testVent() }));
  const onPosted = vi.fn();
  const first = renderSignedIn(<Composer onPosted={onPosted} />);
  await userEvent.click(theSwitch());
  first.unmount();
  renderSignedIn(<Composer onPosted={onPosted} />);
  expect(isOn()).toBe('false');
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('What you wrote stays here until it is said.');
  expect(isOn()).toBe('false');
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await expect.poll(() => onPosted.mock.calls.length).toBe(1);
  expect(asked.map(({ body }) => body)).toMatchObject([{ allowComments: false }, { allowComments: false }]);
  expect(isOn()).toBe('true');
});

it('takes the switch and the hashtag that was still open, when one leads straight to the other', async () => {
  testServer(() => ({}));
  renderSignedIn(<Composer onPosted={() => undefined} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Hashtags' }), 'night, half');
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  expect(readDraft('u1')).toMatchObject({ hashtags: ['night', 'half'], allowComments: false });
});
