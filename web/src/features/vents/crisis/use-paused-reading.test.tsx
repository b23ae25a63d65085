import type { CrisisLevel, CrisisReading } from '@unsaid/guard/crisis';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nextShown, usePausedReading } from './use-paused-reading.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = (level: CrisisLevel): CrisisReading => ({ level, isAboutSomeoneElse: false });
/** A stand-in for the lexicon: the level is the last digit of the text. */
const readDigit = (text: string) => at((Number(/\d(?=\D*$)/u.exec(text)?.[0] ?? 0) || 0) as CrisisLevel);
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test('more words raise the level or end it, and do not lower it', () => {
  const shown = { text: 'a', reading: at(2) };
  expect(nextShown(shown, 'a b', at(3)).reading.level).toBe(3);
  expect(nextShown(shown, 'a b', at(1)).reading.level).toBe(2);
  expect(nextShown(shown, 'a laughing', at(0)).reading.level).toBe(0);
});

test('once the words are changed or deleted, the level is that of the words left', () => {
  const shown = { text: 'one two', reading: at(3) };
  expect(nextShown(shown, 'one', at(1)).reading.level).toBe(1);
  expect(nextShown(shown, '', at(0)).reading.level).toBe(0);
});

function renderReading(text: string) {
  const read = vi.fn(readDigit);
  const hook = renderHook(({ text }) => usePausedReading(text, read, { current: null }), {
    initialProps: { text },
  });
  return {
    read,
    write: (next: string) => hook.rerender({ text: next }),
    level: () => hook.result.current.level,
  };
}

test('a text is read when its writer pauses, once, and not at every key', () => {
  const { read, write, level } = renderReading('');
  for (const text of ['2', '2 a', '2 ab', '2 abc']) {
    write(text);
    pass(599);
  }
  expect(read).not.toHaveBeenCalled();
  expect(level()).toBe(0);
  pass(1);
  expect(read).toHaveBeenCalledOnce();
  expect(level()).toBe(2);
  pass(60_000);
  expect(read).toHaveBeenCalledOnce();
  write('');
  pass(600);
  expect(level()).toBe(0);
});

test('while a pointer moves, perhaps to the button, nothing appears', () => {
  const { write, level } = renderReading('');
  write('3');
  for (let moves = 0; moves < 5; moves += 1) {
    pass(400);
    act(() => void window.dispatchEvent(new Event('pointermove')));
  }
  expect(level()).toBe(0);
  pass(600);
  expect(level()).toBe(3);
});
