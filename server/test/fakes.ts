import type { Clock } from '../src/platform/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
}

/** Stands still until it is moved. Begins at midday, so that a test of minutes does not cross midnight. */
export function createFakeClock(): FakeClock {
  let now = Date.parse('2026-11-15T12:00:00Z');
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** Keeps what the server writes to its log. */
export function createLogSink() {
  const lines: string[] = [];
  return { lines, write: (line: string) => void lines.push(line) };
}
