import type { Clock } from '../src/platform/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Back to where it began. */
  reset(): void;
}

/** Stands still until it is moved. Begins at midday, so that a test of minutes does not cross midnight. */
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

/** Keeps what the server writes to its log. */
export function createLogSink() {
  const lines: string[] = [];
  return { lines, write: (line: string) => void lines.push(line) };
}
