import type { SelfUser } from '@unsaid/contract';
import { act, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setCurrentUser } from '../lib/current-user.ts';
import { endSession } from '../lib/session.ts';
import { renderSignedIn, testSelf, testServer } from '../lib/testing.tsx';
import { Shell } from './shell.tsx';

const shell = (
  <Shell
    fallback={null}
    notice={null}
    inboxSync={null}
    showRecovery={(opensAt) => <p>Opens at {opensAt}</p>}
  />
);
const opensAt = '2026-11-21T04:00:00.000Z';
const warning = () => screen.queryByText(`Opens at ${opensAt}`);

test('the shell warns while someone waits for this account, and after log-out no more', async () => {
  testServer(() => ({}));
  const { client } = renderSignedIn(shell);
  expect(warning()).toBeNull();
  const change = (user: SelfUser) => act(() => setCurrentUser(client, user));
  change({ ...testSelf, recoveryOpensAt: opensAt });
  await expect.poll(warning).not.toBeNull();
  change(testSelf);
  await expect.poll(warning).toBeNull();
  change({ ...testSelf, recoveryOpensAt: opensAt });
  await expect.poll(warning).not.toBeNull();
  act(() => endSession('logout'));
  expect(warning()).toBeNull();
});

test('writing is in the main menu too, beside the links of the specification', () => {
  testServer(() => ({}));
  renderSignedIn(shell);
  const main = within(screen.getByRole('navigation', { name: 'Main' }));
  const links = main.getAllByRole('link').map(({ textContent }) => textContent);
  expect(links.slice(0, 7)).toEqual(['Home', 'Vents', 'Write', 'Matches', 'Terms', 'Privacy', 'FAQ']);
});
