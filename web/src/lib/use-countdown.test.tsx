import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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

it('counts down the 30 s and then opens', () => {
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

it('is not stretched by a tab that slept', () => {
  const { result } = renderHook(() => useCountdown());
  act(() => result.current[1](30));
  vi.setSystemTime(Date.now() + 29_000);
  pass(250);
  expect(result.current[0]).toBe(1);
});
