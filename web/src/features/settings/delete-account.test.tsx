import { deleteAccount } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { DeleteAccount } from './delete-account.tsx';

/** Stands for the fresh code. */
function Confirmed({ onConfirmed }: { readonly onConfirmed: () => Promise<void> }) {
  return (
    <button type="button" onClick={() => void onConfirmed()}>
      Code is right
    </button>
  );
}

async function leave(choice?: string) {
  const asked = testServer(() => ({}));
  const { unmount } = renderSignedIn(<DeleteAccount ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  await screen.findByRole('group', { name: 'What happens to your vents and comments?' });
  if (choice !== undefined) await userEvent.click(screen.getByRole('radio', { name: choice }));
  await userEvent.click(screen.getByRole('button', { name: 'Code is right' }));
  await expect.poll(() => asked.length).toBe(1);
  unmount();
  return asked.map(({ method, path, query }) => [method, path, query.toString()]);
}

it('sends the choice that was made, and the 30 days unless another was', async () => {
  for (const [choice, span] of [
    [undefined, '30days'],
    ['Remove them within 3 days', '3days'],
    ['Keep my words, cut from me for good', 'never'],
  ] as const) {
    expect(await leave(choice)).toEqual([['DELETE', deleteAccount.path, `removeWords=${span}`]]);
  }
});

it('says of each choice what somebody who watches learns', async () => {
  testServer(() => ({}));
  renderSignedIn(<DeleteAccount ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  for (const [choice, sentence] of [
    ['Remove them over 30 days', /not which of the people who left in those weeks/u],
    ['Remove them within 3 days', /you may be the only one leaving/u],
    ['Keep my words, cut from me for good', /nothing points to you.*can't have them deleted later/u],
  ] as const) {
    const radio = await screen.findByRole('radio', { name: choice });
    expect(document.getElementById(radio.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(
      sentence,
    );
  }
});
