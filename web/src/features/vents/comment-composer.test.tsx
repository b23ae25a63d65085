import { commentOnVent, listVents } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { endSession } from '../../lib/session.ts';
import {
  renderSignedIn,
  testComment,
  testSelf,
  testServer,
  testVent,
  type Asked,
} from '../../lib/testing.tsx';
import { CommentComposer } from './comment-composer.tsx';

beforeEach(() => sessionStorage.clear());

const nameSwitch = () => screen.getByRole('switch', { name: 'Show my name' });
const saidAloud = (asked: Asked[]) =>
  asked.filter(({ path }) => path === commentOnVent.path).map(({ body }) => body);

function serverWith(newestCreatedAt?: string): Asked[] {
  return testServer(({ path }) =>
    path === listVents.path
      ? {
          vents: newestCreatedAt ? [testVent({ isOwner: true, createdAt: newestCreatedAt })] : [],
          pageCount: 1,
          hasOlder: false,
        }
      : { comment: testComment },
  );
}

async function say(text: string): Promise<void> {
  await userEvent.type(screen.getByLabelText('Your comment'), text);
  await userEvent.click(screen.getByRole('button', { name: 'Comment' }));
}

/** As the server says it, to the minute. */
const minutesAgo = (minutes: number) =>
  new Date((Math.floor(Date.now() / 60_000) - minutes) * 60_000).toISOString();

it('speaks as Anonymous unless the name was chosen, and asks for none of your vents', async () => {
  const asked = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={testVent()} />);
  expect(nameSwitch().getAttribute('aria-checked')).toBe('false');
  expect(screen.getByText('You speak as Anonymous.')).toBeTruthy();
  await say('Hello.');
  expect(asked).toHaveLength(1);
  expect(saidAloud(asked)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: true }]);
});

it('says what choosing the name means, and which vent it could be linked to', async () => {
  const asked = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={testVent()} />);
  await userEvent.click(nameSwitch());
  expect(screen.getByText('Everyone will see your name and picture here.')).toBeTruthy();
  expect(
    await screen.findByText('You vented 20 minutes ago. Your name here now could be linked to it.'),
  ).toBeTruthy();
  expect(asked.map(({ path, query }) => `${path}?${query.toString()}`)).toEqual([
    `${listVents.path}?mine=true&sort=recent&page=1&limit=1`,
  ]);
  await say('Hello.');
  expect(saidAloud(asked)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: false }]);
});

it('warns of no vent that is a day old', async () => {
  const asked = serverWith(minutesAgo(24 * 60 + 1));
  renderSignedIn(<CommentComposer vent={testVent()} />);
  await userEvent.click(nameSwitch());
  await expect.poll(() => asked.length).toBe(1);
  await screen.findByText('Everyone will see your name and picture here.');
  expect(screen.queryByText(/^You vented/u)).toBeNull();
});

it('keeps the choice in this tab for this account, until log-out', async () => {
  serverWith();
  const first = renderSignedIn(<CommentComposer vent={testVent()} />);
  await userEvent.click(nameSwitch());
  first.unmount();
  expect(Object.keys(localStorage).filter((key) => key.includes('voice'))).toEqual([]);

  const second = renderSignedIn(<CommentComposer vent={testVent({ _id: 'v2' })} />);
  expect(nameSwitch().getAttribute('aria-checked')).toBe('true');
  second.unmount();

  const other = renderSignedIn(<CommentComposer vent={testVent()} />, { ...testSelf, _id: 'u2' });
  expect(nameSwitch().getAttribute('aria-checked')).toBe('false');
  other.unmount();

  endSession('logout');
  expect(Object.keys(sessionStorage)).toEqual([]);
});

it('gives those without a name nothing to choose, and still says that they are Anonymous', async () => {
  const asked = serverWith();
  renderSignedIn(<CommentComposer vent={testVent()} />, { ...testSelf, username: null });
  expect(screen.queryByRole('switch')).toBeNull();
  await say('Hello.');
  expect(saidAloud(asked)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: true }]);
});
