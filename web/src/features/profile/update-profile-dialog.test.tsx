import { updateDetails, type SelfUser } from '@unsaid/contract';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { useCurrentUser } from '../../lib/current-user.ts';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { endSession } from '../../lib/session.ts';
import { identityGuard } from '../../ui/use-identity-guard.ts';
import { profileDrafts, UpdateProfileDialog } from './update-profile-dialog.tsx';

function Shown() {
  const { data: self } = useCurrentUser();
  return self && <UpdateProfileDialog self={self} isOpen onClose={() => undefined} closeComments={null} />;
}

beforeEach(() => profileDrafts.set(testSelf._id, undefined));

function start(change: Partial<SelfUser> = {}) {
  let self = { ...testSelf, ...change };
  let drawn = 0;
  const requests = testServer(({ path, body }) => {
    if (path.endsWith('/avatar')) self = { ...self, profilePic: `/avatars/${(drawn += 1)}.svg` };
    if (path.endsWith('/change-username')) {
      self = { ...self, username: (body as { newUsername: string }).newUsername };
    }
    return { user: self };
  });
  renderSignedIn(<Shown />, self);
  const save = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await expect.poll(() => requests.at(-1)?.path).toBe(updateDetails.path);
    return requests.map(({ path }) => path.split('/').at(-1));
  };
  return { requests, save };
}

const rename = (name: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Username' }), { target: { value: name } });
const offer = () => screen.queryByRole('switch', { name: 'New name, new picture?' });

test('the dialog offers a new picture with a new name, and requests one unless declined', async () => {
  const { save } = start();
  expect(offer()).toBeNull();
  rename('calm_sea');
  expect(offer()?.getAttribute('aria-checked')).toBe('true');
  expect(await save()).toEqual(['change-username', 'avatar', 'update-details']);
});

test('the dialog keeps the picture when the offer is declined', async () => {
  const { save } = start();
  rename('calm_sea');
  await userEvent.click(offer() as HTMLElement);
  expect(await save()).toEqual(['change-username', 'update-details']);
});

test('the dialog offers no picture after the user has requested another one', async () => {
  start();
  rename('calm_sea');
  await userEvent.click(screen.getByRole('button', { name: 'Another picture' }));
  await expect.poll(offer).toBeNull();
});

test('the dialog offers no picture to a user without a name', () => {
  start({ username: null });
  rename('calm_sea');
  expect(offer()).toBeNull();
});

test('the dialog sends feelings only if they changed', async () => {
  const { requests, save } = start({ feelings: ['Sad'] });
  await save();
  expect(requests.at(-1)?.body).not.toHaveProperty('feelings');
  await userEvent.click(screen.getByRole('button', { name: 'Anxious' }));
  requests.length = 0;
  await save();
  expect(requests.at(-1)?.body).toMatchObject({ feelings: ['Sad', 'Anxious'] });
});

// B7.
test('edits are kept until they are saved or discarded, and not beyond the session', async () => {
  const { save } = start();
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
  rename('calm_sea');
  expect(profileDrafts.get(testSelf._id)).toMatchObject({ username: 'calm_sea' });
  expect(profileDrafts.get('another')).toBeUndefined();
  await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(profileDrafts.get(testSelf._id)).toBeUndefined();
  rename('calm_rain');
  await save();
  await expect.poll(() => profileDrafts.get(testSelf._id)).toBeUndefined();
  rename('calm_hill');
  expect(profileDrafts.get(testSelf._id)).toMatchObject({ username: 'calm_hill' });
  endSession('logout');
  expect(profileDrafts.get(testSelf._id)).toBeUndefined();
});

test('a profile with a number is not saved, and one with a handle asks first', async () => {
  await identityGuard.load();
  const { requests } = start();
  const writeBio = (bio: string) =>
    fireEvent.change(screen.getByRole('textbox', { name: 'Bio' }), { target: { value: bio } });
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  writeBio('quiet. call 9812345678');
  await press('Save');
  expect(screen.getByRole('alert').textContent).toContain('This looks like a phone number.');
  expect(screen.queryByRole('button', { name: 'Save anyway' })).toBeNull();
  writeBio('my insta is riya.writes_08');
  expect(screen.queryByRole('alert')).toBeNull();
  await press('Save');
  expect(screen.getByRole('alert').textContent).toContain('This looks like a username from another app.');
  expect(requests).toEqual([]);
  await press('Save anyway');
  await expect
    .poll(() => requests.map(({ body }) => body))
    .toMatchObject([{ bio: 'my insta is riya.writes_08', isSure: true }]);
});
