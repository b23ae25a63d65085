import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFaultProxy, type FaultProxy } from '../../../server/test/fault-proxy.ts';
import { startTempPostgres, type TempPostgres } from '../../../testkit/temp-postgres.ts';
import { startTempRedis, type TempRedis } from '../../../testkit/temp-redis.ts';
import { nothing, type Fault } from './fault.ts';
import type { Deployment } from './deployment.ts';
import { onCleanup } from './cleanup.ts';

/** PostgreSQL and Redis, each behind a fault proxy, and the faults of both. */

export interface Stores {
  readonly postgres: TempPostgres;
  readonly redis: TempRedis;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  faults(deployment: Deployment): readonly Fault[];
}

/** A small tmpfs that can be filled. */
function mountDisk(): string {
  const disk = mkdtempSync(join(tmpdir(), 'unsaid-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk]);
  onCleanup(() => {
    // Killed processes may hold it a moment longer.
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  return disk;
}

export async function openStores(): Promise<Stores> {
  const disk = mountDisk();
  const postgres = await startTempPostgres({ folder: disk });
  onCleanup(() => postgres.remove());
  postgres.sql('create role idler login');
  const redis = await startTempRedis();
  onCleanup(() => redis.remove());
  const toPostgres = await startFaultProxy({ host: '127.0.0.1', port: postgres.port });
  onCleanup(() => toPostgres.close());
  const toRedis = await startFaultProxy({ host: '127.0.0.1', port: redis.port });
  onCleanup(() => toRedis.close());
  return {
    postgres,
    redis,
    databaseUrl: `postgres://owner@127.0.0.1:${toPostgres.port}/unsaid`,
    redisUrl: `redis://127.0.0.1:${toRedis.port}`,
    faults: (deployment) => [
      { name: 'api killed', begin: () => deployment.api.kill(), end: nothing },
      { name: 'worker killed', begin: () => deployment.worker.kill(), end: nothing },
      { name: 'Redis killed', begin: () => redis.killHard(), end: () => redis.start() },
      { name: 'PostgreSQL killed', begin: () => postgres.killHard(), end: () => postgres.start() },
      ...networkFaults('Redis', toRedis, 5000),
      {
        name: 'Redis full',
        begin: () => void redis.command('config', 'set', 'maxmemory', '1'),
        end: () => void redis.command('config', 'set', 'maxmemory', '0'),
      },
      { name: 'Redis flushed', begin: () => void redis.command('flushall'), end: nothing },
      ...networkFaults('PostgreSQL', toPostgres, 1000),
      exhaustConnections(postgres, deployment),
      fillDisk(postgres, join(disk, 'filler')),
    ],
  };
}

function networkFaults(name: string, proxy: FaultProxy, slowMs: number): Fault[] {
  const end = () => proxy.restore();
  return [
    { name: `${name} refused`, begin: () => proxy.refuse(), end },
    { name: `${name} slow by ${slowMs / 1000} s`, begin: () => proxy.delayAnswers(slowMs), end },
    { name: `${name} black-holed`, begin: () => proxy.blackHole(), end },
    { name: `${name} reset in mid-reply`, begin: () => proxy.resetInMidReply(), end },
    { name: `${name} losing 1 in 50 answers`, begin: () => proxy.dropOneIn(50), end },
    { name: `${name} half-closed`, begin: () => proxy.halfClose(), end },
    { name: `${name} at 2 kB/s`, begin: () => proxy.throttle(2000), end },
  ];
}

/** Restarts the api: a process that has its connections would not notice. */
function exhaustConnections(postgres: TempPostgres, { api }: Deployment): Fault {
  const idlers: ChildProcess[] = [];
  return {
    name: 'connections exhausted',
    begin() {
      const url = postgres.url.replace('owner@', 'idler@');
      for (let n = 0; n < 60; n += 1)
        idlers.push(spawn('psql', [url, '-qc', 'select pg_sleep(4)'], { stdio: 'ignore' }));
      api.kill();
    },
    async end() {
      // They end by themselves: no connection is left for terminating them.
      for (const idler of idlers.splice(0))
        if (idler.exitCode === null) await new Promise((resolve) => idler.once('exit', resolve));
    },
  };
}

function fillDisk(postgres: TempPostgres, filler: string): Fault {
  return {
    name: 'disk full',
    begin() {
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' });
      } catch {
        // Ends when the disk is full, as intended.
      }
    },
    async end() {
      rmSync(filler, { force: true });
      // Without space for WAL it may have stopped; a service manager restarts it.
      await postgres.start();
    },
  };
}
