import { updateDetails, type SelfUser } from '@unsaid/contract';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { useSelf } from '../../lib/self.ts';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { UpdateProfileDialog } from './update-profile-dialog.tsx';

function Shown() {
  const { data: self } = useSelf();
  return self && <UpdateProfileDialog self={self} isOpen onClose={() => undefined} closeComments={null} />;
}

function start(change: Partial<SelfUser> = {}) {
  let self = { ...testSelf, ...change };
  let drawn = 0;
  const asked = testServer(({ path, body }) => {
    if (path.endsWith('/avatar')) self = { ...self, profilePic: `/avatars/${(drawn += 1)}.svg` };
    if (path.endsWith('/change-username')) {
      self = { ...self, username: (body as { newUsername: string }).newUsername };
    }
    return { user: self };
  });
  renderSignedIn(<Shown />, self);
  const save = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await expect.poll(() => asked.at(-1)?.path).toBe(updateDetails.path);
    return asked.map(({ path }) => path.split('/').at(-1));
  };
  return { asked, save };
}

const rename = (name: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Username' }), { target: { value: name } });
const offer = () => screen.queryByRole('switch', { name: 'New name, new picture?' });

it('offers a new picture with a new name, and draws one unless it is declined', async () => {
  const { save } = start();
  expect(offer()).toBeNull();
  rename('calm_sea');
  expect(offer()?.getAttribute('aria-checked')).toBe('true');
  expect(await save()).toEqual(['change-username', 'avatar', 'update-details']);
});

it('keeps the picture when the offer is declined', async () => {
  const { save } = start();
  rename('calm_sea');
  await userEvent.click(offer() as HTMLElement);
  expect(await save()).toEqual(['change-username', 'update-details']);
});

it('offers none once another picture was drawn by hand', async () => {
  start();
  rename('calm_sea');
  await userEvent.click(screen.getByRole('button', { name: 'Another picture' }));
  await expect.poll(offer).toBeNull();
});

it('offers none to somebody who had no name', () => {
  start({ username: null });
  rename('calm_sea');
  expect(offer()).toBeNull();
});

it('sends feelings only when they were changed', async () => {
  const { asked, save } = start({ feelings: ['Sad'] });
  await save();
  expect(asked.at(-1)?.body).not.toHaveProperty('feelings');
  await userEvent.click(screen.getByRole('button', { name: 'Anxious' }));
  asked.length = 0;
  await save();
  expect(asked.at(-1)?.body).toMatchObject({ feelings: ['Sad', 'Anxious'] });
});
