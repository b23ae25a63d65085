import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TimeAgo } from './time-ago.tsx';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-15T12:00:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

it('goes on counting while the page stays open', () => {
  render(<TimeAgo at="2026-11-15T12:00:00Z" />);
  expect(screen.getByText('just now')).toBeTruthy();
  act(() => {
    vi.advanceTimersByTime(90_000);
  });
  expect(screen.getByText(/^2 min/u)).toBeTruthy();
  act(() => {
    vi.advanceTimersByTime(60 * 60_000);
  });
  expect(screen.getByText(/^1 hr/u)).toBeTruthy();
});
