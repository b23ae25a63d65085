import { dropHeldVent, holdVent, listHeldVents, releaseHeldVent } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderSignedIn, testSelf, testServer } from '../../../lib/testing.tsx';
import { Toaster } from '../../../ui/toast.tsx';
import { Composer } from '../compose/composer.tsx';
import { readDraft, saveDraft, emptyDraft } from '../compose/drafts.ts';
import { HeldVents } from './held-vents.tsx';

beforeEach(() => localStorage.clear());

const waiting = { _id: 'h1', title: 'Later', text: 'Not now', emotion: 'Sad', hashtags: [] };
const pathsOf = (requests: readonly { readonly method: string; readonly path: string }[]) =>
  requests.map(({ method, path }) => `${method} ${path}`);

test('a vent that is held back is sent as such, and is no vent of the feed yet', async () => {
  const requests = testServer(() => ({}));
  const onPosted = vi.fn();
  renderSignedIn(
    <>
      <Toaster />
      <Composer onPosted={onPosted} />
    </>,
  );
  await userEvent.type(screen.getByLabelText('Title'), 'T');
  await userEvent.type(screen.getByLabelText('Text'), 'x');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
  await userEvent.click(screen.getByRole('switch', { name: 'Post within the hour' }));
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  expect(await screen.findByText("It'll go out within the hour.")).toBeTruthy();
  expect(pathsOf(requests)).toContain(`POST ${holdVent.path}`);
  expect(onPosted).not.toHaveBeenCalled();
  expect(readDraft(testSelf._id)).toEqual(emptyDraft);
});

test('it is posted now', async () => {
  let held = [waiting];
  const requests = testServer(({ method }) => {
    if (method === 'POST') held = [];
    return { held };
  });
  renderSignedIn(
    <>
      <Toaster />
      <HeldVents />
    </>,
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Post now' }));
  await expect.poll(() => screen.queryByText('Later')).toBe(null);
  expect(pathsOf(requests)).toContain(`POST ${releaseHeldVent.path.replace(':id', 'h1')}`);
});

test('it is taken back into the draft, unless another one was begun', async () => {
  const requests = testServer(() => ({ held: [waiting] }));
  saveDraft(testSelf._id, { ...emptyDraft, text: 'Begun since' });
  renderSignedIn(
    <>
      <Toaster />
      <HeldVents />
    </>,
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Back to draft' }));
  expect(await screen.findByText('Finish or clear your draft first.')).toBeTruthy();
  expect(pathsOf(requests).filter((path) => !path.endsWith(listHeldVents.path))).toEqual([]);
  saveDraft(testSelf._id, emptyDraft);
  await userEvent.click(screen.getByRole('button', { name: 'Back to draft' }));
  await expect
    .poll(() => readDraft(testSelf._id))
    .toMatchObject({ text: 'Not now', title: 'Later', isHeld: true });
  expect(pathsOf(requests)).toContain(`DELETE ${dropHeldVent.path.replace(':id', 'h1')}`);
});
