import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import * as toasts from '../../ui/toast.tsx';
import { RecoveryCodeDialog } from './recovery-code-dialog.tsx';

const refusal = () =>
  Response.json({ success: false, message: '', code: 'REAUTH_REQUIRED', requestId: 'x' }, { status: 403 });

test.each([
  ['was lost: it may be valid', () => new TypeError('away'), 0],
  ['was a refusal: it is not valid', refusal, 1],
])('a code whose confirmation %s', async (_, respond, told) => {
  const toast = vi.spyOn(toasts, 'toast');
  testServer(({ method }) =>
    method === 'PUT' ? respond() : { code: 'AAAA-AAAA-AAAA', proof: 'p', hasCode: false, madeOn: null },
  );
  renderSignedIn(<RecoveryCodeDialog isOpen onClose={() => undefined} ReauthForm={() => null} />);
  await userEvent.click(await screen.findByRole('button', { name: "I've written it down" }));
  await userEvent.type(screen.getByRole('textbox'), 'AAAA');
  await userEvent.click(screen.getByRole('button', { name: 'Save my code' }));
  await screen.findByText(/Couldn't|too long/u);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(toast).toHaveBeenCalledTimes(told);
});
