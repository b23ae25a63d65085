import { cancelRecoveryCode, readRecovery, recoverAccount } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { formatFull } from '../../lib/format.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { RecoverySection } from './recovery-section.tsx';
import { Confirmed } from './testing.tsx';

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const section = <RecoverySection ReauthForm={Confirmed} NewNumberForm={() => null} />;

test('a code is cancelled after a code to the number', async () => {
  let isCancelled = false;
  const requests = testServer(({ method }) => {
    if (method === 'DELETE') isCancelled = true;
    return isCancelled ? { hasCode: false, madeOn: null } : { hasCode: true, madeOn: '2026-11-11' };
  });
  renderSignedIn(section);
  await screen.findByText(/^You made a recovery code on 11 Nov 2026\..*If that wasn't you, cancel it\./u);
  await press('Cancel the code');
  await press('Code is right');
  await screen.findByText("You don't have a recovery code right now.");
  expect(screen.queryByRole('button', { name: 'Cancel the code' })).toBeNull();
  expect(requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => [method, path])).toEqual(
    [['DELETE', cancelRecoveryCode.path]],
  );
});

test('a right code: the dialog says when to come back, and says the same again', async () => {
  const opensAt = '2026-11-21T04:00:00.000Z';
  const requests = testServer(({ path }) =>
    path === recoverAccount.path
      ? Response.json(
          { success: false, message: '', code: 'RECOVERY_WAITS', requestId: 'x', opensAt },
          { status: 409 },
        )
      : { hasCode: false, madeOn: null },
  );
  renderSignedIn(section);
  for (const times of [1, 2]) {
    await press('Get an old account back');
    await userEvent.type(await screen.findByLabelText('Recovery code'), 'AAAA-BBBB');
    await press('Get it back');
    const said = await screen.findByText(
      "Your code is right. We always wait 3 days, in case it isn't you asking.",
    );
    expect(document.activeElement).toBe(said);
    expect(screen.queryByLabelText('Recovery code')).toBeNull();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      "Keep this number, and don't delete this account.",
      `Come back after ${formatFull(opensAt)}. You have 7 days from then.`,
      "Enter your code here again, and you're in.",
    ]);
    screen.getByText('If you can still open the old account somewhere, you can stop it there.');
    await press('Got it');
    expect(screen.queryByText(/Your code is right/u)).toBeNull();
    expect(requests.filter(({ path }) => path === recoverAccount.path)).toHaveLength(times);
  }
  // On a shared phone, nobody must see that an account is being recovered.
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toMatch(/2026-11-21|AAAA/u);
  expect(requests.filter(({ path }) => path === readRecovery.path)).toHaveLength(1);
});
