import { readFileSync, readdirSync } from 'node:fs';

/** What calls take: how long, how many a second, and how much CPU of whom. The one way in which all of this is measured. */

/** Seconds of CPU of a process and of those it has seen end. */
export function cpuOf(pid: number): { parent: number; seconds: number } {
  // The name, in brackets, may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /su, '')
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, seconds: (utime + stime + cutime + cstime) / 100 };
}

/** With its children: PostgreSQL has one for each connection. */
export function cpuOfFamily(pid: number): number {
  let seconds = cpuOf(pid).seconds;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const child = cpuOf(Number(name));
      if (child.parent === pid) seconds += child.seconds;
    } catch {
      // It ended meanwhile, and its parent has its time.
    }
  }
  return seconds;
}

export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  /** In milliseconds, the shortest first. */
  readonly times: readonly number[];
  /** Milliseconds of CPU for each call, of whoever `readCpu` names. */
  readonly cpuMs: readonly number[];
}

interface MeasureOptions {
  readonly count: number;
  /** So many at once. */
  readonly workers: number;
  /** Seconds so far. */
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
