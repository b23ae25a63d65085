import { beforeEach, expect, test, vi } from 'vitest';
import { createSeenGatherer, seenAfterMs } from './seen-gatherer.ts';

let tell: (entries: { target: Element; isIntersecting: boolean }[]) => void = () => undefined;
let isVisible = true;

beforeEach(() => {
  vi.useFakeTimers();
  isVisible = true;
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => (isVisible ? 'visible' : 'hidden'));
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(callback: typeof tell) {
        tell = callback;
      }
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

function start() {
  const onSeen = vi.fn<(keys: string[]) => void>();
  const gatherer = createSeenGatherer(onSeen);
  gatherer.open();
  const add = (key: string) => {
    const target = document.createElement('li');
    const end = gatherer.observe(target, key);
    return {
      end,
      appear: () => tell([{ target, isIntersecting: true }]),
      vanish: () => tell([{ target, isIntersecting: false }]),
    };
  };
  return { onSeen, gatherer, add };
}

function setVisible(next: boolean): void {
  isVisible = next;
  document.dispatchEvent(new Event('visibilitychange'));
}

test('a line counts as seen after a second in view, together with its neighbours, and once', () => {
  const { onSeen, add } = start();
  const [one, two, never] = [add('one'), add('two'), add('never')];
  one.appear();
  two.appear();
  never.vanish();
  vi.advanceTimersByTime(seenAfterMs - 1);
  expect(onSeen).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(onSeen.mock.calls).toEqual([[['one', 'two']]]);
  one.vanish();
  one.appear();
  vi.advanceTimersByTime(5000);
  expect(onSeen).toHaveBeenCalledOnce();
});

test('a line that scrolls past or belongs to an ended observation is not seen', () => {
  const { onSeen, add } = start();
  const [past, ended] = [add('past'), add('ended')];
  past.appear();
  ended.appear();
  vi.advanceTimersByTime(seenAfterMs - 1);
  past.vanish();
  ended.end();
  vi.advanceTimersByTime(5000);
  expect(onSeen).not.toHaveBeenCalled();
});

test('time in a hidden tab does not count', () => {
  const { onSeen, add } = start();
  setVisible(false);
  const line = add('line');
  line.appear();
  vi.advanceTimersByTime(5000);
  setVisible(true);
  vi.advanceTimersByTime(seenAfterMs - 1);
  setVisible(false);
  vi.advanceTimersByTime(5000);
  expect(onSeen).not.toHaveBeenCalled();
  setVisible(true);
  vi.advanceTimersByTime(seenAfterMs + 1000);
  expect(onSeen.mock.calls).toEqual([[['line']]]);
});

test('closing sends what waits and nothing that was too short', () => {
  const { onSeen, gatherer, add } = start();
  const [waiting, short] = [add('waiting'), add('short')];
  waiting.appear();
  vi.advanceTimersByTime(seenAfterMs);
  short.appear();
  gatherer.close();
  vi.advanceTimersByTime(5000);
  expect(onSeen.mock.calls).toEqual([[['waiting']]]);
});
