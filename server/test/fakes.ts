import type { Clock } from '../src/platform/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Back to the start time. */
  reset(): void;
}

/** Does not run by itself. Starts at noon, so that a test of minutes does not cross midnight. */
export function createFakeClock(): FakeClock {
  const start = Date.parse('2026-11-15T12:00:00Z');
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    reset() {
      now = start;
    },
  };
}

/** Collects the log lines of the server. */
export function createLogSink() {
  const lines: string[] = [];
  return { lines, write: (line: string) => void lines.push(line) };
}
