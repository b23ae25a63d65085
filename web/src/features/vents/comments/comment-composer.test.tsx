import { commentOnVent, errorKinds, listVents } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  renderSignedIn,
  testComment,
  testSelf,
  testServer,
  makeVentView,
  type SentRequest,
} from '../../../lib/testing.tsx';
import { identityGuard } from '../../../ui/use-identity-guard.ts';
import { tellsToDie } from '../crisis/crisis-guard.ts';
import { CommentComposer } from './comment-composer.tsx';

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

const byName = () => screen.getByRole<HTMLInputElement>('radio', { name: 'As calm_river' });
const byNobody = () => screen.getByRole<HTMLInputElement>('radio', { name: 'As Anonymous' });
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

/** An ISO time rounded to the minute, as the server sends it. The clock stands still, so that no minute ends meanwhile. */
function minutesAgo(minutes: number): string {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-15T12:00:30Z') });
  return new Date(Date.parse('2026-11-15T12:00:00Z') - minutes * 60_000).toISOString();
}

test("a comment is anonymous by default, and requests none of the user's vents", async () => {
  const requests = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  expect([byNobody().checked, byName().checked]).toEqual([true, false]);
  await say('Hello.');
  expect(requests).toHaveLength(1);
  expect(saidAloud(requests)).toEqual([
    { ventId: 'v1', text: 'Hello.', anonymous: true, isSure: false, door: 'feed' },
  ]);
});

test('the choice of the name explains its effect, and which vent the name could be linked to', async () => {
  const requests = serverWith(minutesAgo(20));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(byName());
  expect(screen.getByText('Everyone who reads this will see your name and picture.')).toBeTruthy();
  expect(
    await screen.findByText(
      "You posted a vent 20 minutes ago. With your name here now, people could guess it's yours.",
    ),
  ).toBeTruthy();
  expect(requests.map(({ path, query }) => `${path}?${query.toString()}`)).toEqual([
    `${listVents.path}?mine=true&sort=recent&page=1&limit=1`,
  ]);
  await say('Hello.');
  expect(saidAloud(requests)).toEqual([
    { ventId: 'v1', text: 'Hello.', anonymous: false, isSure: false, door: 'feed' },
  ]);
});

test('the choice of the name warns about no vent older than a day', async () => {
  const requests = serverWith(minutesAgo(24 * 60 + 1));
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(byName());
  await expect.poll(() => requests.length).toBe(1);
  await screen.findByText('Everyone who reads this will see your name and picture.');
  expect(screen.queryByText(/^You posted a vent/u)).toBeNull();
});

test('a name is chosen for one comment: the next one is anonymous again, here and on any other vent', async () => {
  const requests = serverWith();
  const first = renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(byName());
  await say('Hello.');
  expect(byNobody().checked).toBe(true);
  await say('And more.');
  expect(saidAloud(requests)).toMatchObject([{ anonymous: false }, { anonymous: true }]);
  await userEvent.click(byName());
  first.unmount();
  renderSignedIn(<CommentComposer vent={makeVentView({ _id: 'v2' })} />);
  expect(byNobody().checked).toBe(true);
  expect([...Object.keys(localStorage), ...Object.keys(sessionStorage)].join()).not.toContain('voice');
});

test('a comment by name that failed keeps the name, also after the form was closed', async () => {
  testServer(() => new Error('offline'));
  const first = renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(byName());
  await say('Hello.');
  await screen.findByRole('alert');
  expect(byName().checked).toBe(true);
  first.unmount();
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  expect(byName().checked).toBe(true);
});

test('a user without a name has no choice, and is told that the comment is anonymous', async () => {
  const requests = serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView()} />, { ...testSelf, username: null });
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.getByText("You'll appear as Anonymous.")).toBeTruthy();
  await say('Hello.');
  expect(saidAloud(requests)).toEqual([
    { ventId: 'v1', text: 'Hello.', anonymous: true, isSure: false, door: 'feed' },
  ]);
});

test('the author is told to appear as Author, and invited to reply only where there are comments', () => {
  serverWith();
  const { show } = renderSignedIn(<CommentComposer vent={makeVentView({ isOwner: true })} />);
  expect(screen.getByText("You'll appear as 'Author'.")).toBeTruthy();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.getByPlaceholderText('Add a comment…')).toBeTruthy();
  show(<CommentComposer vent={makeVentView({ isOwner: true, comments: [testComment], commentCount: 1 })} />);
  expect(screen.getByPlaceholderText('Reply…')).toBeTruthy();
});

test('a comment that failed is sent again with the same key, also after the form was closed', async () => {
  let isOnline = false;
  const keys: (string | null)[] = [];
  testServer(() => (isOnline ? { comment: testComment } : new Error('offline')));
  const fetchSpy = vi.mocked(globalThis.fetch);
  const first = renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await say('Hello.');
  await screen.findByRole('alert');
  first.unmount();
  isOnline = true;
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  expect(screen.getByDisplayValue('Hello.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Comment' }));
  await expect.poll(() => fetchSpy.mock.calls.length).toBe(2);
  for (const [, init] of fetchSpy.mock.calls) keys.push(new Headers(init?.headers).get('idempotency-key'));
  expect(keys[0]).not.toBeNull();
  expect(keys[1]).toBe(keys[0]);
  await expect.poll(() => Object.keys(localStorage).filter((key) => key.includes('draft'))).toEqual([]);
});

const refusal = /^This tells someone to hurt themselves/u;

test('a comment that tells somebody to die is refused here: nothing is sent, and the words stay', async () => {
  const requests = serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(screen.getByLabelText('Your comment'));
  // Loaded when the field gets focus.
  await expect.poll(() => tellsToDie('go kill yourself')).toBe(true);
  await say('Go kill yourself.');
  expect((await screen.findByRole('alert')).textContent).toMatch(refusal);
  expect(screen.getByLabelText('Your comment')).toBe(document.activeElement);
  expect(screen.getByDisplayValue('Go kill yourself.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Comment' }));
  expect(requests).toEqual([]);
});

test('a refusal by the server shows the same sentence, and the words come back', async () => {
  const { status, message } = errorKinds.ENCOURAGES_SELF_HARM;
  testServer(() =>
    Response.json({ success: false, code: 'ENCOURAGES_SELF_HARM', message, requestId: 'r1' }, { status }),
  );
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await say('Words that only a newer server knows.');
  expect((await screen.findByRole('alert')).textContent).toMatch(refusal);
  expect(screen.getByDisplayValue('Words that only a newer server knows.')).toBeTruthy();
});

test('words begun while the server refuses a comment are kept with it, and nothing offers to replace them', async () => {
  const { status, message } = errorKinds.IDENTIFYING_DETAILS;
  const answer = Promise.withResolvers<object>();
  testServer(() => answer.promise);
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await say('Words that only a newer server knows.');
  await userEvent.type(screen.getByLabelText('Your comment'), 'And more.');
  const fields = [{ path: 'text', rule: 'phone' }];
  answer.resolve(
    Response.json(
      { success: false, code: 'IDENTIFYING_DETAILS', message, fields, requestId: 'r1' },
      { status },
    ),
  );
  expect((await screen.findByRole('alert')).textContent).toContain('Something here could lead people to you');
  expect(screen.getByLabelText<HTMLTextAreaElement>('Your comment').value).toBe(
    'Words that only a newer server knows.\n\nAnd more.',
  );
  expect(screen.queryByRole('button', { name: 'Hide it for me' })).toBeNull();
});

const limited = () =>
  Response.json(
    { success: false, code: 'ACCOUNT_LIMITED', message: errorKinds.ACCOUNT_LIMITED.message, requestId: 'r1' },
    { status: 403 },
  );

test('a limited person reads why before writing', async () => {
  testServer(() => ({}));
  renderSignedIn(<CommentComposer vent={makeVentView()} />, { ...testSelf, limited: true });
  expect(screen.getByText(/can't post/u)).toBeTruthy();
  expect((await screen.findByRole('link', { name: 'See why' })).getAttribute('href')).toBe('/notices');
  expect(screen.queryByLabelText('Your comment')).toBeNull();
});

test('words that a limited account had begun stay, also after a refusal', async () => {
  testServer(limited);
  const page = renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await say('Hello.');
  await screen.findByRole('link', { name: 'See why' });
  const box = () => screen.getByLabelText<HTMLTextAreaElement>('Your comment');
  expect(box().value).toBe('Hello.');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Comment' }).disabled).toBe(true);
  page.unmount();
  renderSignedIn(<CommentComposer vent={makeVentView()} />, { ...testSelf, limited: true });
  expect(box().value).toBe('Hello.');
});

test('a comment with a UPI ID is not sent before it is hidden', async () => {
  await identityGuard.load();
  const requests = serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await say('send it to riya08@okaxis and rest');
  expect(screen.getByRole('alert').textContent).toContain('This looks like a UPI ID.');
  expect(requests).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Hide it for me' }));
  expect(screen.getByDisplayValue('send it to ••• and rest')).toBeTruthy();
  expect(requests).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Comment' }));
  await expect.poll(() => saidAloud(requests)).toMatchObject([{ text: 'send it to ••• and rest' }]);
});

test.each([
  [null, 'Write a reply…', ['Same here, …', 'It sounds like …', 'What helped me was …']],
  ['listen', 'Just be there. No fixing needed.', ['It sounds like …', 'Same here, …']],
  ['advice', 'What could help?', ['What helped me was …', 'Same here, …']],
  ['been_there', 'How was it for you?', ['Same here, …', 'What helped me was …']],
] as const)('where the author asked for %s, the field says “%s”', (need, placeholder, starters) => {
  serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView({ need })} />);
  expect(screen.getByPlaceholderText(placeholder)).toBe(screen.getByLabelText('Your comment'));
  const shown = screen.getAllByRole('button', { name: / …$/u }).map(({ textContent }) => textContent);
  expect(shown).toEqual(starters);
});

test('a starter begins a sentence, and is not sent unfinished', async () => {
  const requests = serverWith();
  renderSignedIn(<CommentComposer vent={makeVentView()} />);
  await userEvent.click(screen.getByRole('button', { name: 'What helped me was …' }));
  expect(screen.getByLabelText('Your comment')).toBe(document.activeElement);
  await userEvent.click(screen.getByRole('button', { name: 'Comment' }));
  expect(screen.getByText('Finish it in your own words.')).toBeTruthy();
  expect(requests).toEqual([]);
  await say('a long walk.');
  expect(saidAloud(requests)).toMatchObject([{ text: 'What helped me was a long walk.' }]);
});
