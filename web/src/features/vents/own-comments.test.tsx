import { closeAllVents, setVentComments, type VentView } from '@unsaid/contract';
import { skipToken, useQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderSignedIn, testServer, testVent } from '../../lib/testing.tsx';
import { CloseAllComments } from './close-all-comments.tsx';
import { OwnComments } from './own-comments.tsx';
import { ventsKey } from './vent-cache.ts';

const oneKey = [...ventsKey, 'one', 'v1'];

/** The vent as the cache has it. */
function Kept() {
  const { data } = useQuery<VentView>({ queryKey: oneKey, queryFn: skipToken });
  return data ? <OwnComments vent={data} /> : null;
}

function showOwn() {
  const page = renderSignedIn(null);
  page.client.setQueryData(oneKey, testVent({ isOwner: true }));
  page.show(<Kept />);
  return page;
}

const theSwitch = () => screen.getByRole('switch', { name: 'Let people comment' });
const isOn = () => theSwitch().getAttribute('aria-checked');

it('closes and opens one vent, shown before the server has answered', async () => {
  let isDone: (answer: object) => void = () => undefined;
  const asked = testServer(
    () =>
      new Promise((resolve) => {
        isDone = resolve;
      }),
  );
  showOwn();
  expect(isOn()).toBe('true');
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  expect(asked).toMatchObject([
    { method: 'PUT', path: setVentComments.path.replace(':id', 'v1'), body: { allowComments: false } },
  ]);
  // A second press waits for the answer to the first.
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  isDone({});
  await expect.poll(() => theSwitch().getAttribute('aria-readonly')).toBeNull();
  await userEvent.click(theSwitch());
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.body).toEqual({ allowComments: true });
  expect(isOn()).toBe('true');
});

it('takes back what failed, says so, and tries again', async () => {
  let isAway = true;
  const asked = testServer(() => (isAway ? new TypeError('away') : {}));
  showOwn();
  await userEvent.click(theSwitch());
  expect((await screen.findByRole('alert')).textContent).toContain('Check your connection');
  expect(isOn()).toBe('true');
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await expect.poll(isOn).toBe('false');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(asked.map(({ body }) => body)).toEqual([{ allowComments: false }, { allowComments: false }]);
});

it('closes all of one’s own after saying what others could notice', async () => {
  let isAway = true;
  const asked = testServer(() => (isAway ? new TypeError('away') : {}));
  const { client } = renderSignedIn(<CloseAllComments />);
  const listKey = [...ventsKey, 'list'];
  client.setQueryData(listKey, {
    vents: [testVent({ _id: 'mine', isOwner: true }), testVent({ _id: 'theirs' })],
  });
  const allowed = () =>
    client.getQueryData<{ vents: VentView[] }>(listKey)?.vents.map((vent) => vent.userId.allowComments);

  await userEvent.click(screen.getByRole('button', { name: 'Close comments on all my vents now' }));
  const alert = await screen.findByRole('alertdialog');
  expect(alert.textContent).toContain(
    "Anyone who's watching the feed could notice which vents closed together, and guess they're by one person. Closing one now and another later is safer.",
  );
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(asked).toEqual([]);

  await userEvent.click(screen.getByRole('button', { name: 'Close comments on all my vents now' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Close all' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Check your connection');
  expect(allowed()).toEqual([true, true]);
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Close all' }));
  await expect.poll(allowed).toEqual([false, true]);
  expect(await screen.findByText('Comments are closed on all your vents.')).toBeTruthy();
  expect(asked.at(-1)).toMatchObject({ method: 'POST', path: closeAllVents.path });
});
