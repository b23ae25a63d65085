import { readFileSync, readdirSync } from 'node:fs';

/** Latency, throughput and CPU time of calls, for all measurements. */

/** CPU seconds of a process and of its ended children. */
export function cpuOf(pid: number): { parent: number; seconds: number } {
  // The process name, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /su, '')
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, seconds: (utime + stime + cutime + cstime) / 100 };
}

/** CPU seconds of a process and its children: PostgreSQL has one for each connection. */
export function cpuOfTree(pid: number): number {
  let seconds = cpuOf(pid).seconds;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const child = cpuOf(Number(name));
      if (child.parent === pid) seconds += child.seconds;
    } catch {
      // The process has ended; its parent has its time.
    }
  }
  return seconds;
}

export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  /** In milliseconds, ascending. */
  readonly times: readonly number[];
  /** CPU milliseconds per call, for each process that `readCpu` reads. */
  readonly cpuMs: readonly number[];
}

interface MeasureOptions {
  readonly count: number;
  /** Concurrent calls. */
  readonly workers: number;
  /** CPU seconds so far. */
  readCpu(): readonly number[];
}

export async function measureCalls(
  { count, workers, readCpu }: MeasureOptions,
  one: (n: number) => Promise<unknown>,
): Promise<Measured> {
  const before = readCpu();
  const begunAt = performance.now();
  const times: number[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const askedAt = performance.now();
      await one(next++);
      times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const took = (performance.now() - begunAt) / 1000;
  const cpuMs = readCpu().map((seconds, index) => ((seconds - (before[index] ?? 0)) * 1000) / count);
  return { count, perSecond: count / took, times: times.toSorted((a, b) => a - b), cpuMs };
}
