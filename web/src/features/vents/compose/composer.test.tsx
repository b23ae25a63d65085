import { errorKinds } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderSignedIn, testSelf, testServer, makeVentView } from '../../../lib/testing.tsx';
import { endSession, startSession } from '../../../lib/session.ts';
import { Composer } from './composer.tsx';
import { readDraft } from './drafts.ts';

beforeEach(() => localStorage.clear());

const theSwitch = () => screen.getByRole('switch', { name: 'Let people comment' });
const isOn = () => theSwitch().getAttribute('aria-checked');

async function write(): Promise<void> {
  await userEvent.type(screen.getByLabelText('Title'), 'T');
  await userEvent.type(screen.getByLabelText('Text'), 'x');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
}

test.each([true, false])(
  'the switch starts with the profile’s setting (%s) and sends it',
  async (allowComments) => {
    const requests = testServer(() => ({ vent: makeVentView() }));
    const onPosted = vi.fn();
    renderSignedIn(<Composer onPosted={onPosted} />, { ...testSelf, allowComments });
    expect(isOn()).toBe(String(allowComments));
    await write();
    await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
    await expect.poll(() => onPosted.mock.calls.length).toBe(1);
    expect(requests[0]?.body).toMatchObject({ title: 'T', allowComments });
  },
);

test('the draft keeps the choice about comments, and posting resets it', async () => {
  let isAway = true;
  const requests = testServer(() => (isAway ? new TypeError('away') : { vent: makeVentView() }));
  const onPosted = vi.fn();
  const first = renderSignedIn(<Composer onPosted={onPosted} />);
  await userEvent.click(theSwitch());
  first.unmount();
  renderSignedIn(<Composer onPosted={onPosted} />);
  expect(isOn()).toBe('false');
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('Your draft is saved.');
  expect(isOn()).toBe('false');
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await expect.poll(() => onPosted.mock.calls.length).toBe(1);
  expect(requests.map(({ body }) => body)).toMatchObject([
    { allowComments: false },
    { allowComments: false },
  ]);
  expect(isOn()).toBe('true');
});

test('a press on the switch also commits the open hashtag', async () => {
  testServer(() => ({}));
  renderSignedIn(<Composer onPosted={() => undefined} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Hashtags' }), 'night, half');
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  expect(readDraft('u1')).toMatchObject({ hashtags: ['night', 'half'], allowComments: false });
});

test('a vent whose response arrives after log-out is not shown to the next person', async () => {
  const response = Promise.withResolvers<object>();
  testServer(() => response.promise);
  const onPosted = vi.fn();
  const { unmount } = renderSignedIn(<Composer onPosted={onPosted} />);
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  endSession('logout');
  unmount();
  startSession('another', 'u2');
  response.resolve({ vent: makeVentView({ isOwner: true }) });
  await new Promise((done) => setTimeout(done, 20));
  expect(onPosted).not.toHaveBeenCalled();
});

test('a limited person reads why at once, and the draft is kept', async () => {
  testServer(() => ({}));
  renderSignedIn(<Composer onPosted={vi.fn()} />, { ...testSelf, limited: true });
  expect(screen.getByRole('link', { name: 'See why' }).getAttribute('href')).toBe('/notices');
  await write();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Post vent' }).disabled).toBe(true);
  expect(readDraft(testSelf._id)).toMatchObject({ title: 'T', text: 'x' });
});

test('a vent that is refused to a limited account stays as a draft', async () => {
  testServer(() =>
    Response.json(
      {
        success: false,
        code: 'ACCOUNT_LIMITED',
        message: errorKinds.ACCOUNT_LIMITED.message,
        requestId: 'r1',
      },
      { status: 403 },
    ),
  );
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('Your draft is saved.');
  expect(screen.getByRole('link', { name: 'See why' })).toBeTruthy();
  expect(readDraft(testSelf._id)).toMatchObject({ title: 'T', text: 'x' });
  expect(onPosted).not.toHaveBeenCalled();
});
