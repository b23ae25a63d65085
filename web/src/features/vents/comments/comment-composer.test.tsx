import { commentOnVent, listVents } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { endSession } from '../../../lib/session.ts';
import {
  renderSignedIn,
  testComment,
  testSelf,
  testServer,
  makeVentView,
  type SentRequest,
} from '../../../lib/testing.tsx';
import { CommentComposer } from './comment-composer.tsx';

beforeEach(() => sessionStorage.clear());

const nameSwitch = () => screen.getByRole('switch', { name: 'Show my name' });
const saidAloud = (requests: SentRequest[]) =>
  requests.filter(({ path }) => path === commentOnVent.path).map(({ body }) => body);

function serverWith(newestCreatedAt?: string): SentRequest[] {
  return testServer(({ path }) =>
    path === listVents.path
      ? {
          vents: newestCreatedAt ? [makeVentView({ isOwner: true, createdAt: newestCreatedAt })] : [],
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

/** An ISO time rounded to the minute, as the server sends it. */
const minutesAgo = (minutes: number) =>
  new Date((Math.floor(Date.now() / 60_000) - minutes) * 60_000).toISOString();

test("a comment is anonymous by default, and requests none of the user's vents", async () => {
  const requests = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  expect(nameSwitch().getAttribute('aria-checked')).toBe('false');
  expect(screen.getByText('You speak as Anonymous.')).toBeTruthy();
  await say('Hello.');
  expect(requests).toHaveLength(1);
  expect(saidAloud(requests)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: true }]);
});

test('the name switch explains its effect, and which vent the name could be linked to', async () => {
  const requests = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(nameSwitch());
  expect(screen.getByText('Everyone will see your name and picture here.')).toBeTruthy();
  expect(
    await screen.findByText('You vented 20 minutes ago. Your name here now could be linked to it.'),
  ).toBeTruthy();
  expect(requests.map(({ path, query }) => `${path}?${query.toString()}`)).toEqual([
    `${listVents.path}?mine=true&sort=recent&page=1&limit=1`,
  ]);
  await say('Hello.');
  expect(saidAloud(requests)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: false }]);
});

test('the name switch warns about no vent older than a day', async () => {
  const requests = serverWith(minutesAgo(24 * 60 + 1));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(nameSwitch());
  await expect.poll(() => requests.length).toBe(1);
  await screen.findByText('Everyone will see your name and picture here.');
  expect(screen.queryByText(/^You vented/u)).toBeNull();
});

test('the choice of the name lasts in this tab and account until log-out', async () => {
  serverWith();
  const first = renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(nameSwitch());
  first.unmount();
  expect(Object.keys(localStorage).filter((key) => key.includes('voice'))).toEqual([]);

  const second = renderSignedIn(<CommentComposer vent={makeVentView({ _id: 'v2' })} />);
  expect(nameSwitch().getAttribute('aria-checked')).toBe('true');
  second.unmount();

  const other = renderSignedIn(<CommentComposer vent={makeVentView()} />, { ...testSelf, _id: 'u2' });
  expect(nameSwitch().getAttribute('aria-checked')).toBe('false');
  other.unmount();

  endSession('logout');
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test('a user without a name has no switch, and is told that the comment is anonymous', async () => {
  const requests = serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView()} />, { ...testSelf, username: null });
  expect(screen.queryByRole('switch')).toBeNull();
  await say('Hello.');
  expect(saidAloud(requests)).toEqual([{ ventId: 'v1', text: 'Hello.', anonymous: true }]);
});
