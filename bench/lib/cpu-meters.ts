import { readFileSync, readdirSync } from 'node:fs';
import { psql } from './psql.ts';

/** CPU time of the measured processes only: other programs may use the same PostgreSQL. */

const clientsOf = (url: string) =>
  psql(
    url,
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
    .split('\n')
    .filter(Boolean)
    .map(Number);

/** CPU seconds of a process from schedstat, which is finer than clock ticks. */
export function runSeconds(pid: number): number {
  const run = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  );
  return run.reduce((sum, one) => sum + one, 0) / 1e9;
}

export interface BackendMeter {
  /** Backends that serve this database now. */
  pids(): number[];
  /** CPU seconds of all backends seen so far. Background writes are not included. */
  seconds(): number;
}

export function createBackendMeter(url: string): BackendMeter {
  const seen = new Map<number, number>();
  return {
    pids: () => clientsOf(url),
    seconds() {
      for (const pid of clientsOf(url)) {
        try {
          seen.set(pid, runSeconds(pid));
        } catch {
          // The backend has ended: its last reading counts.
        }
      }
      return [...seen.values()].reduce((sum, one) => sum + one, 0);
    },
  };
}

/** CPU seconds of the whole machine. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    readFileSync('/proc/stat', 'latin1').split('\n')[0] ?? ''
  )
    .split(/\s+/u)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / 100;
}
