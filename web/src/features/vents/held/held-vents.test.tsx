import { createVent, dropHeldVent, listHeldVents, releaseHeldVent } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { wipeSessionStores } from '../../../lib/store.ts';
import { renderSignedIn, testSelf, testServer } from '../../../lib/testing.tsx';
import { Toaster } from '../../../ui/toast.tsx';
import { Composer } from '../compose/composer.tsx';
import { readDraft, saveDraft, emptyDraft } from '../compose/drafts.ts';
import type { Posted } from '../compose/just-posted.ts';
import { HeldVents } from './held-vents.tsx';

beforeEach(() => {
  localStorage.clear();
  wipeSessionStores();
});

const waiting = { _id: 'h1', title: 'Later', text: 'Not now', emotion: 'Sad', hashtags: [] };
const pathsOf = (requests: readonly { readonly method: string; readonly path: string }[]) =>
  requests.map(({ method, path }) => `${method} ${path}`);

test('a vent that is held back makes the calls of one that is posted at once', async () => {
  const calls: string[][] = [];
  for (const isHeld of [true, false]) {
    localStorage.clear();
    const vent = { ...waiting, userId: { _id: testSelf._id, allowComments: true } };
    const requests = testServer(({ method }) => (method === 'POST' ? { vent: isHeld ? null : vent } : {}));
    const onPosted = vi.fn();
    const { unmount } = renderSignedIn(
      <>
        <Toaster />
        <Composer onPosted={onPosted} />
      </>,
    );
    await userEvent.type(screen.getByLabelText('Title'), 'T');
    await userEvent.type(screen.getByLabelText('Text'), 'x');
    await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
    if (isHeld) {
      await userEvent.click(screen.getByRole('button', { name: 'More choices' }));
      await userEvent.click(screen.getByRole('switch', { name: 'Post a little later' }));
      expect(screen.getByText('A little later')).toBeTruthy();
    }
    await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
    await expect.poll(() => onPosted.mock.calls.length).toBe(1);
    const [posted] = onPosted.mock.calls[0] as [Posted];
    if (isHeld) {
      expect(await screen.findByText("It'll go out later.")).toBeTruthy();
      expect(posted.held).toMatchObject({ title: 'T', text: 'x', emotion: 'Sad' });
    } else expect(posted).toEqual({ _id: vent._id, held: null });
    expect(readDraft(testSelf._id)).toEqual(emptyDraft);
    const sent = requests.find(({ path }) => path === createVent.path);
    expect(sent?.body).toMatchObject({ later: isHeld });
    calls.push(pathsOf(requests));
    unmount();
  }
  expect(calls[0]).toEqual(calls[1]);
});

test('an attempt that may have arrived keeps its key when only its time is changed, and the answer decides', async () => {
  let isLost = true;
  const requests = testServer(({ path }) => {
    if (path !== createVent.path) return {};
    if (isLost) return new TypeError('lost');
    return { vent: null };
  });
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
  await userEvent.click(screen.getByRole('button', { name: 'More choices', expanded: false }));
  const later = screen.getByRole('switch', { name: 'Post a little later' });
  await userEvent.click(later);
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('Your draft is saved.');
  isLost = false;
  await userEvent.click(later);
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  // The first one stands: it was held back, though the switch is off now.
  expect(await screen.findByText("It'll go out later.")).toBeTruthy();
  const sent = requests.filter(({ path }) => path === createVent.path);
  const keys = vi
    .mocked(fetch)
    .mock.calls.map(([, init]) => new Headers(init?.headers).get('idempotency-key'))
    .filter((key) => key !== null);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect(sent.map(({ body }) => (body as { later: boolean }).later)).toEqual([true, false]);
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

test('one that could not be posted says so, and can be taken back', async () => {
  testServer(() => ({ held: [{ ...waiting, isStuck: true }] }));
  renderSignedIn(<HeldVents />);
  expect(await screen.findByText("This couldn't be posted. Only you can see it.")).toBeTruthy();
  expect(screen.queryByText('Goes out later. Only you can see it.')).toBe(null);
  expect(screen.getByRole('button', { name: 'Back to draft' })).toBeTruthy();
});
