import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useCountdown } from './use-countdown.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

test('the countdown runs for 30 s and then ends (S9.2)', () => {
  const { result } = renderHook(() => useCountdown());
  expect(result.current[0]).toBe(0);
  act(() => result.current[1](30));
  expect(result.current[0]).toBe(30);
  pass(1000);
  expect(result.current[0]).toBe(29);
  pass(28_500);
  expect(result.current[0]).toBe(1);
  pass(500);
  expect(result.current[0]).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('the countdown is not stretched by a suspended tab', () => {
  const { result } = renderHook(() => useCountdown());
  act(() => result.current[1](30));
  vi.setSystemTime(Date.now() + 29_000);
  pass(250);
  expect(result.current[0]).toBe(1);
});
