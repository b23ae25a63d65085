import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toast, Toaster } from './toast.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a toast is shown for 3 s (S8.17, S8.18, S9.9)', () => {
  render(<Toaster />);
  act(() => toast('Vent created successfully!'));
  act(() => void vi.advanceTimersByTime(2999));
  expect(screen.getByRole('status').textContent).toBe('Vent created successfully!');
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.getByRole('status').textContent).toBe('');
});

test('a newer toast replaces the current one, for 3 s of its own', () => {
  render(<Toaster />);
  act(() => toast('Match accepted!'));
  act(() => void vi.advanceTimersByTime(2000));
  act(() => toast('Match rejected'));
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.getByRole('status').textContent).toBe('Match rejected');
});
