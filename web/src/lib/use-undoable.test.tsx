import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { flushPendingSends } from './pending-sends.ts';
import { useUndoable } from './use-undoable.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startOne() {
  const send = vi.fn();
  const hook = renderHook(() => useUndoable(5000));
  act(() => hook.result.current.start(send));
  expect(hook.result.current.isPending).toBe(true);
  return { send, ...hook };
}

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test('an undoable action is sent once, after its delay', () => {
  const { send, result } = startOne();
  pass(4999);
  expect(send).not.toHaveBeenCalled();
  pass(1);
  expect(send).toHaveBeenCalledOnce();
  expect(result.current.isPending).toBe(false);
  pass(60_000);
  expect(send).toHaveBeenCalledOnce();
});

test('an undone action is never sent', () => {
  const { send, result, unmount } = startOne();
  act(() => result.current.undo());
  expect(result.current.isPending).toBe(false);
  pass(60_000);
  window.dispatchEvent(new Event('pagehide'));
  unmount();
  expect(send).not.toHaveBeenCalled();
});

test.each([
  ['the page closes', () => window.dispatchEvent(new Event('pagehide'))],
  [
    'another app is opened',
    () => {
      vi.spyOn(document, 'visibilityState', 'get').mockReturnValueOnce('hidden');
      document.dispatchEvent(new Event('visibilitychange'));
    },
  ],
  ['the person logs out', flushPendingSends],
])('a pending action is sent at once when %s', (_, leave) => {
  const { send, unmount } = startOne();
  act(() => {
    leave();
  });
  expect(send).toHaveBeenCalledOnce();
  unmount();
  expect(send).toHaveBeenCalledOnce();
});

test('a pending action is sent at once when its component unmounts', () => {
  const { send, unmount } = startOne();
  unmount();
  expect(send).toHaveBeenCalledOnce();
});

test('a paused clock goes on where it stopped, and the action is sent after four delays at the latest', () => {
  const { send, result } = startOne();
  pass(3000);
  act(() => result.current.pause());
  pass(10_000);
  expect(send).not.toHaveBeenCalled();
  act(() => result.current.resume());
  pass(1999);
  expect(send).not.toHaveBeenCalled();
  pass(1);
  expect(send).toHaveBeenCalledOnce();

  const second = vi.fn();
  act(() => result.current.start(second));
  act(() => result.current.pause());
  pass(19_999);
  expect(second).not.toHaveBeenCalled();
  pass(1);
  expect(second).toHaveBeenCalledOnce();
});

test('a second action sends the pending one first', () => {
  const { send, result } = startOne();
  const second = vi.fn();
  act(() => result.current.start(second));
  expect(send).toHaveBeenCalledOnce();
  expect(result.current.isPending).toBe(true);
  pass(5000);
  expect(second).toHaveBeenCalledOnce();
});
