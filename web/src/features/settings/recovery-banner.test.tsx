import { cancelRecoveryCode, getSelf } from '@unsaid/contract';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { setCurrentUser } from '../../lib/current-user.ts';
import { formatFull } from '../../lib/format.ts';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { Confirmed } from './testing.tsx';
import { RecoveryBanner } from './recovery-banner.tsx';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('the banner says who gets the account from which hour on, and a code to the number stops it', async () => {
  const requests = testServer(() => ({}));
  const opensAt = inHours(72);
  renderSignedIn(<RecoveryBanner opensAt={opensAt} ReauthForm={Confirmed} />);
  screen.getByText(
    `Someone is getting this account back with a recovery code. If it isn't you, stop it. It opens for them on ${formatFull(opensAt)}.`,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Stop it' }));
  expect(requests).toEqual([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Code is right' }));
  await screen.findByText("Stopped. The recovery code they used doesn't work any more.");
  expect(screen.queryByRole('button', { name: 'Code is right' })).toBeNull();
  expect(screen.getByRole('link', { name: 'Make a new code' }).getAttribute('href')).toBe(
    '/settings#recovery',
  );
  expect(requests.map(({ method, path }) => [method, path])).toEqual([['DELETE', cancelRecoveryCode.path]]);
  await userEvent.click(screen.getByRole('button', { name: 'Not now' }));
});

test('once the dialog is closed the account is read again, so that the banner goes', async () => {
  const requests = testServer(() => ({}));
  renderSignedIn(<RecoveryBanner opensAt={inHours(1)} ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Stop it' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Code is right' }));
  await screen.findByText(/^Stopped/u);
  const isRead = () => requests.some(({ path }) => path === getSelf.path);
  expect(isRead()).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  await expect.poll(isRead).toBe(true);
});

test('closing the dialog without a code stops nothing', async () => {
  const requests = testServer(() => ({}));
  const { client } = renderSignedIn(<RecoveryBanner opensAt={inHours(1)} ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Stop it' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Close' }));
  expect(requests).toEqual([]);
  expect(client.getQueryState(['self'])?.isInvalidated).toBe(false);
});

test('after its hour the banner says that it can open at any moment', () => {
  testServer(() => ({}));
  renderSignedIn(<RecoveryBanner opensAt={inHours(-1)} ReauthForm={Confirmed} />);
  screen.getByText(/They can open it any moment now\.$/u);
});

test('a number that is too new to stop it is told so, and is not asked for a code', async () => {
  testServer(() => ({}));
  const { client } = renderSignedIn(<RecoveryBanner opensAt={inHours(1)} ReauthForm={Confirmed} />);
  act(() => setCurrentUser(client, { ...testSelf, recoveryIsFinal: true }));
  await screen.findByText(/Your number changed in the last 7 days, so it can't stop them\./u);
  expect(screen.queryByRole('button', { name: 'Stop it' })).toBeNull();
});
