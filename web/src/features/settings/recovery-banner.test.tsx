import { cancelRecoveryCode, getSelf } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { formatFull } from '../../lib/format.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
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
  await screen.findByText('Stopped. Your recovery code is cancelled too.');
  expect(screen.queryByRole('button', { name: 'Code is right' })).toBeNull();
  expect(screen.getByRole('link', { name: 'Make a new code' }).getAttribute('href')).toBe(
    '/settings#recovery',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Not now' }));
  expect(requests.map(({ method, path }) => [method, path])).toEqual([['DELETE', cancelRecoveryCode.path]]);
});

test('once the dialog is closed the account is read again, so that the banner goes', async () => {
  const requests = testServer(() => ({}));
  const { client } = renderSignedIn(<RecoveryBanner opensAt={inHours(1)} ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Stop it' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Code is right' }));
  await screen.findByText(/^Stopped/u);
  expect(client.getQueryState(['self'])?.isInvalidated).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  await expect.poll(() => client.getQueryState(['self'])?.isInvalidated).toBe(true);
  expect(requests.some(({ path }) => path === getSelf.path)).toBe(false);
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
