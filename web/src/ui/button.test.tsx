import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Button } from './button.tsx';

test('a busy button keeps the focus, and a press does nothing', async () => {
  const onClick = vi.fn();
  const onSubmit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
  const form = (isBusy: boolean) => (
    <form onSubmit={onSubmit}>
      <input aria-label="Words" />
      <Button type="submit" isBusy={isBusy} onClick={onClick}>
        Post
      </Button>
    </form>
  );
  const { rerender } = render(form(false));
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Post' });
  button.focus();
  rerender(form(true));
  expect(document.activeElement).toBe(button);
  expect(button.disabled).toBe(false);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(button);
  await userEvent.type(screen.getByLabelText('Words'), 'x{Enter}');
  expect(onClick).not.toHaveBeenCalled();
  expect(onSubmit).not.toHaveBeenCalled();

  rerender(form(false));
  await userEvent.click(button);
  expect(onSubmit).toHaveBeenCalledOnce();
});
