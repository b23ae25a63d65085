import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { ReportsPage } from './reports.page.tsx';

test('own reports are listed with reason, day and outcome', async () => {
  testServer(() => ({
    reports: [
      { kind: 'comment', reason: 'private_info', day: '2026-10-15', outcome: 'broken' },
      { kind: 'vent', reason: 'worried', day: '2026-10-12', outcome: 'waiting' },
    ],
  }));
  renderSignedIn(<ReportsPage />);
  await screen.findByText('A comment · Shares private details');
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'A comment · Shares private details15 Oct 2026 · A rule was broken, and we acted',
    "A vent · I'm worried about them12 Oct 2026 · Waiting",
  ]);
});

test('without reports the page says so, and a failed load can be repeated', async () => {
  let isLost = true;
  testServer(() => (isLost ? new Error('lost') : { reports: [] }));
  renderSignedIn(<ReportsPage />);
  await screen.findByText(/^Couldn't load your reports\. /u);
  isLost = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText("You haven't reported anything.");
});
