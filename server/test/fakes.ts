import type { Clock } from '../src/platform/clock.ts';

export interface FakeClock extends Clock {
  /** At once, and no timer runs: as if the process had stood still. */
  advance(ms: number): void;
  /** Stops at each timer on the way, and waits for what it starts. */
  run(ms: number): Promise<void>;
  /** When timers ran. */
  readonly ran: number[];
  /** Back to the start time. */
  reset(): void;
}

/** Does not run by itself. Starts at noon, so that a test of minutes does not cross midnight. */
export function createFakeClock(): FakeClock {
  const start = Date.parse('2026-11-15T12:00:00Z');
  let now = start;
  const timers = new Set<{ readonly at: number; readonly callback: () => Promise<void> }>();
  const ran: number[] = [];
  return {
    now: () => now,
    ran,
    schedule(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      now += ms;
    },
    async run(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].toSorted((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        now = Math.max(now, next.at);
        timers.delete(next);
        ran.push(now);
        await next.callback();
      }
      now = end;
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
