import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { userQuery } from './matches.api.ts';
import { UserProfileDialog } from './user-profile-dialog.tsx';

const person = { id: 'them', name: 'slow_monsoon', picture: '/avatars/them.svg' };
const notFound = () =>
  Response.json({ success: false, message: '', code: 'NOT_FOUND', requestId: 'x' }, { status: 404 });
const dialog = <UserProfileDialog person={person} isOpen onClose={() => undefined} />;
const rule = "You can see a profile only while you two are still deciding, or after you've both said yes.";

test('the dialog explains when a profile is visible, if this one is not', async () => {
  testServer(notFound);
  renderSignedIn(dialog);
  expect(await screen.findByText('No user details available.')).toBeTruthy();
  expect(screen.getByText(rule)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
});

test('the dialog hides a cached profile that is no longer visible', async () => {
  testServer(notFound);
  const { client, show } = renderSignedIn(null);
  client.setQueryData(userQuery('them').queryKey, { ...testSelf, bio: 'Read before.' });
  await client.invalidateQueries(userQuery('them'));
  show(dialog);
  expect(await screen.findByText(rule)).toBeTruthy();
  expect(screen.queryByText('Read before.')).toBeNull();
});

test('the dialog offers a retry when the server is unreachable', async () => {
  testServer(() => new Error('away'));
  renderSignedIn(dialog);
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy();
  expect(screen.queryByText(rule)).toBeNull();
});
