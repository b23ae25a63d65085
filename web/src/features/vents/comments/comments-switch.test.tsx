import { closeAllVents, setVentComments, type VentView } from '@unsaid/contract';
import { skipToken, useQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderSignedIn, testServer, makeVentView } from '../../../lib/testing.tsx';
import { ventsKey } from '../vent-cache.ts';
import { CloseAllComments } from './close-all-comments.tsx';
import { CommentsSwitch } from './comments-switch.tsx';

const oneKey = [...ventsKey, 'one', 'v1'];

/** Renders the vent from the query cache. */
function CachedVent() {
  const { data } = useQuery<VentView>({ queryKey: oneKey, queryFn: skipToken });
  return data ? <CommentsSwitch vent={data} /> : null;
}

function showOwn() {
  const page = renderSignedIn(null);
  page.client.setQueryData(oneKey, makeVentView({ isOwner: true }));
  page.show(<CachedVent />);
  return page;
}

const theSwitch = () => screen.getByRole('switch', { name: 'Let people comment' });
const isOn = () => theSwitch().getAttribute('aria-checked');

test('the switch closes and opens one vent optimistically', async () => {
  let isDone: (answer: object) => void = () => undefined;
  const requests = testServer(
    () =>
      new Promise((resolve) => {
        isDone = resolve;
      }),
  );
  showOwn();
  expect(isOn()).toBe('true');
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  expect(requests).toMatchObject([
    { method: 'PUT', path: setVentComments.path.replace(':id', 'v1'), body: { allowComments: false } },
  ]);
  // A second press is ignored until the first response.
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  isDone({});
  await expect.poll(() => theSwitch().getAttribute('aria-readonly')).toBeNull();
  await userEvent.click(theSwitch());
  await expect.poll(() => requests.length).toBe(2);
  expect(requests[1]?.body).toEqual({ allowComments: true });
  expect(isOn()).toBe('true');
});

test('the switch rolls back a failed change, shows the error and retries', async () => {
  let isAway = true;
  const requests = testServer(() => (isAway ? new TypeError('away') : {}));
  showOwn();
  await userEvent.click(theSwitch());
  expect((await screen.findByRole('alert')).textContent).toContain('Check your connection');
  expect(isOn()).toBe('true');
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await expect.poll(isOn).toBe('false');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(requests.map(({ body }) => body)).toEqual([{ allowComments: false }, { allowComments: false }]);
});

test("closing all vents warns about observers first, and changes only the user's own", async () => {
  let isAway = true;
  const requests = testServer(() => (isAway ? new TypeError('away') : {}));
  const { client } = renderSignedIn(<CloseAllComments />);
  const listKey = [...ventsKey, 'list'];
  client.setQueryData(listKey, {
    vents: [makeVentView({ _id: 'mine', isOwner: true }), makeVentView({ _id: 'theirs' })],
  });
  const allowed = () =>
    client.getQueryData<{ vents: VentView[] }>(listKey)?.vents.map((vent) => vent.userId.allowComments);

  await userEvent.click(screen.getByRole('button', { name: 'Close comments on all my vents now' }));
  const alert = await screen.findByRole('alertdialog');
  expect(alert.textContent).toContain(
    "Anyone who's watching the feed could notice which vents closed together, and guess they're by one person. Closing one now and another later is safer.",
  );
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(requests).toEqual([]);

  await userEvent.click(screen.getByRole('button', { name: 'Close comments on all my vents now' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Close all' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Check your connection');
  expect(allowed()).toEqual([true, true]);
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Close all' }));
  await expect.poll(allowed).toEqual([false, true]);
  expect(await screen.findByText('Comments are closed on all your vents.')).toBeTruthy();
  expect(requests.at(-1)).toMatchObject({ method: 'POST', path: closeAllVents.path });
});
