import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Day, TimeAgo } from './time-ago.tsx';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-15T12:00:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the relative time updates while the page is open', () => {
  render(<TimeAgo at="2026-11-15T12:00:00Z" isOwn />);
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

test.each([false, true])(
  'of what somebody else wrote there is a day and a part of it, no minute (full: %s)',
  (isFull) => {
    const at = new Date(2026, 10, 15, 4, 18);
    const show = (now: Date) => {
      vi.setSystemTime(now);
      const { container, unmount } = render(<TimeAgo at={at.toISOString()} isOwn={false} isFull={isFull} />);
      const { outerHTML, textContent } = container.querySelector('time') ?? container;
      unmount();
      expect(outerHTML).not.toMatch(/\d:\d|\bmin\b|\bhr\b/u);
      expect(outerHTML).toContain('datetime="2026-11-15"');
      expect(outerHTML).toContain('title="15 Nov 2026, in the morning"');
      return textContent;
    };
    expect(show(new Date(2026, 10, 15, 4, 20))).toMatch(/^this morning/u);
    expect(show(new Date(2026, 10, 16, 23, 0))).toMatch(/^yesterday morning/u);
    expect(show(new Date(2026, 10, 17, 5, 0))).toMatch(/^15 Nov 2026, in the morning/u);
  },
);

test('the day is that of India, and changes at midnight there', () => {
  // Ten seconds before midnight in India.
  vi.setSystemTime(Date.parse('2026-11-15T18:29:50Z'));
  render(<Day at="2026-11-15T00:00:00+05:30" />);
  const day = screen.getByText('Today');
  expect(day.getAttribute('datetime')).toBe('2026-11-15');
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  expect(day.textContent).toBe('Yesterday');
  act(() => {
    vi.advanceTimersByTime(24 * 60 * 60_000);
  });
  expect(day.textContent).toBe('15 Nov 2026');
});
