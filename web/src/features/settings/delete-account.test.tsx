import { deleteAccount } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Confirmed } from './testing.tsx';

async function leave(choice?: string) {
  const requests = testServer(() => ({}));
  const { unmount } = renderSignedIn(<DeleteAccount ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  await screen.findByRole('group', { name: 'What happens to your vents and comments?' });
  if (choice !== undefined) await userEvent.click(screen.getByRole('radio', { name: choice }));
  await userEvent.click(screen.getByRole('button', { name: 'Code is right' }));
  await expect.poll(() => requests.length).toBe(1);
  unmount();
  return requests.map(({ method, path, query }) => [method, path, query.toString()]);
}

test('deletion sends the selected option, and 30 days by default', async () => {
  for (const [choice, span] of [
    [undefined, '30days'],
    ['Remove them within 3 days', '3days'],
    ['Leave them up, with no link to me', 'never'],
  ] as const) {
    expect(await leave(choice)).toEqual([['DELETE', deleteAccount.path, `removeWords=${span}`]]);
  }
});

test('each option has one line, and “Why?” explains what an observer learns', async () => {
  testServer(() => ({}));
  renderSignedIn(<DeleteAccount ReauthForm={Confirmed} />);
  await userEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  for (const [choice, line, sentence] of [
    ['Remove them over 30 days', 'Hardest to trace', /not which of the people who left in those weeks/u],
    ['Remove them within 3 days', 'easier to trace', /you may be the only one leaving/u],
    ['Leave them up, with no link to me', "can't be deleted", /nothing points to you.*deleted later/u],
  ] as const) {
    const radio = await screen.findByRole('radio', { name: choice });
    expect(document.getElementById(radio.getAttribute('aria-describedby') ?? '')?.textContent).toContain(
      line,
    );
    expect(screen.getByText(sentence).closest('details')?.open).toBe(false);
  }
  // Why it takes time is said without a tap.
  expect(
    screen.getByText(/^They take time on purpose: words that vanish together/u).closest('details'),
  ).toBeNull();
  expect(document.body.textContent).not.toMatch(/hidden now/iu);
  await userEvent.click(screen.getByText('Why?'));
  expect(screen.getByText(/you may be the only one leaving/u).closest('details')?.open).toBe(true);
});
