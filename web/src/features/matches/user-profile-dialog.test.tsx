import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { userQuery } from './matches.api.ts';
import { UserProfileDialog } from './user-profile-dialog.tsx';

const person = { id: 'them', name: 'slow_monsoon', picture: '/avatars/them.svg' };
const notFound = () =>
  Response.json({ success: false, message: '', code: 'NOT_FOUND', requestId: 'x' }, { status: 404 });
const dialog = <UserProfileDialog person={person} isOpen onClose={() => undefined} />;
const rule = "You can see a profile only while you two are still deciding, or after you've both said yes.";

it('says when a profile can be seen, if this one cannot', async () => {
  testServer(notFound);
  renderSignedIn(dialog);
  expect(await screen.findByText('No user details available.')).toBeTruthy();
  expect(screen.getByText(rule)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
});

it('shows no profile from an earlier look once it cannot be seen any more', async () => {
  testServer(notFound);
  const { client, show } = renderSignedIn(null);
  client.setQueryData(userQuery('them').queryKey, { ...testSelf, bio: 'Read before.' });
  await client.invalidateQueries(userQuery('them'));
  show(dialog);
  expect(await screen.findByText(rule)).toBeTruthy();
  expect(screen.queryByText('Read before.')).toBeNull();
});

it('offers to try again when nobody answered', async () => {
  testServer(() => new Error('away'));
  renderSignedIn(dialog);
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy();
  expect(screen.queryByText(rule)).toBeNull();
});
