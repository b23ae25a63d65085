import { readFileSync, readdirSync } from 'node:fs';
import { psql } from './crowd.ts';
import type { OwnRedis } from './own-redis.ts';

/** CPU of what a measurement runs on, where others may use the same PostgreSQL. */

const clientsOf = (url: string) =>
  psql(
    url,
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
    .split('\n')
    .filter(Boolean)
    .map(Number);

/** Seconds that the threads of a process have run: finer than the kernel's ticks, for what is over in a few of them. */
export function runSeconds(pid: number): number {
  const run = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  );
  return run.reduce((sum, one) => sum + one, 0) / 1e9;
}

export interface BackendMeter {
  /** Processes of PostgreSQL that serve this database now. */
  pids(): number[];
  /** Seconds of CPU they and those before them have used. Writing to disk is not theirs, and not counted. */
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
          // It ended meanwhile: what it was last seen at stands.
        }
      }
      return [...seen.values()].reduce((sum, one) => sum + one, 0);
    },
  };
}

export const pidOfRedis = (redis: OwnRedis) =>
  Number(/process_id:(\d+)/u.exec(redis.ask('info', 'server'))?.[1]);

/** Seconds for which any core has been busy with anything. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    readFileSync('/proc/stat', 'latin1').split('\n')[0] ?? ''
  )
    .split(/\s+/u)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / 100;
}
