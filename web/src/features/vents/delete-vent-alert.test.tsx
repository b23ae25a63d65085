import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderSignedIn, testServer, testVent } from '../../lib/testing.tsx';
import { DeleteVentAlert } from './delete-vent-alert.tsx';

const second = "Deleting several together can show that they're by one person.";

it('says from the second vent of a visit on what deleting several shows', async () => {
  testServer(() => ({}));
  const onClose = vi.fn();
  const alert = (id: string) => (
    <DeleteVentAlert key={id} vent={testVent({ _id: id, isOwner: true })} isOpen onClose={onClose} />
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

  // Somebody else's visit.
  renderSignedIn(alert('v3'));
  await screen.findByText('Are you sure you want to delete this vent?');
  expect(screen.queryByText(second)).toBeNull();
});
