import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toast, Toaster } from './toast.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is there for 3 s and then gone', () => {
  render(<Toaster />);
  act(() => toast('Vent created successfully!'));
  act(() => void vi.advanceTimersByTime(2999));
  expect(screen.getByRole('status').textContent).toBe('Vent created successfully!');
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.getByRole('status').textContent).toBe('');
});

it('gives its place to a newer one, which has 3 s of its own', () => {
  render(<Toaster />);
  act(() => toast('Match accepted!'));
  act(() => void vi.advanceTimersByTime(2000));
  act(() => toast('Match rejected'));
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.getByRole('status').textContent).toBe('Match rejected');
});
