import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderSignedIn, testServer, makeVentView } from '../../../lib/testing.tsx';
import { DeleteVentAlert } from './delete-vent-alert.tsx';

const second = "Deleting several together can show that they're by one person.";

test('the alert warns about linkable deletions from the second vent of a visit on', async () => {
  testServer(() => ({}));
  const onClose = vi.fn();
  const alert = (id: string) => (
    <DeleteVentAlert key={id} vent={makeVentView({ _id: id, isOwner: true })} isOpen onClose={onClose} />
  );
  const page = renderSignedIn(alert('v1'));
  await screen.findByText('Are you sure you want to delete this vent?');
  expect(screen.queryByText(second)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
  expect(screen.queryByText(second)).toBeNull();

  page.show(alert('v2'));
  await screen.findByText('Are you sure you want to delete this vent?');
  expect(screen.getByText(second)).toBeTruthy();
  page.unmount();

  // A new session.
  renderSignedIn(alert('v3'));
  await screen.findByText('Are you sure you want to delete this vent?');
  expect(screen.queryByText(second)).toBeNull();
});
