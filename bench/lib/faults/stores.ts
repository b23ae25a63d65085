import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFaultProxy, type FaultProxy } from '../../../server/test/fault-proxy.ts';
import { createPostgres, type OwnPostgres } from '../../../server/test/own-postgres.ts';
import { createRedis, type OwnRedis } from '../own-redis.ts';
import { nothing, type Fault } from './fault.ts';
import type { House } from './house.ts';
import { atTheEnd } from './undo.ts';

/** One PostgreSQL and one Redis, each behind a proxy that fails on command, and all that can become of them. */

export interface Stores {
  readonly postgres: OwnPostgres;
  readonly redis: OwnRedis;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  faults(house: House): readonly Fault[];
}

/** A disk that can be filled without filling anybody else's. */
function mountDisk(): string {
  const disk = mkdtempSync(join(tmpdir(), 'unsaid-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk]);
  atTheEnd(() => {
    // What was killed on it may hold it a moment longer.
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  return disk;
}

export async function openStores(): Promise<Stores> {
  const disk = mountDisk();
  const postgres = await createPostgres(disk);
  atTheEnd(() => postgres.remove());
  postgres.sql('create role idler login');
  const redis = await createRedis();
  atTheEnd(() => redis.remove());
  const toPostgres = await startFaultProxy({ host: '127.0.0.1', port: postgres.port });
  atTheEnd(() => toPostgres.close());
  const toRedis = await startFaultProxy({ host: '127.0.0.1', port: redis.port });
  atTheEnd(() => toRedis.close());
  return {
    postgres,
    redis,
    databaseUrl: `postgres://owner@127.0.0.1:${toPostgres.port}/unsaid`,
    redisUrl: `redis://127.0.0.1:${toRedis.port}`,
    faults: (house) => [
      { name: 'api killed', begin: () => house.api.kill(), end: nothing },
      { name: 'worker killed', begin: () => house.worker.kill(), end: nothing },
      { name: 'Redis killed', begin: () => redis.killHard(), end: () => redis.start() },
      { name: 'PostgreSQL killed', begin: () => postgres.killHard(), end: () => postgres.start() },
      ...networkFaults('Redis', toRedis, 5000),
      {
        name: 'Redis full',
        begin: () => void redis.ask('config', 'set', 'maxmemory', '1'),
        end: () => void redis.ask('config', 'set', 'maxmemory', '0'),
      },
      { name: 'Redis flushed', begin: () => void redis.ask('flushall'), end: nothing },
      ...networkFaults('PostgreSQL', toPostgres, 1000),
      exhaustConnections(postgres, house),
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

/** With a new process that has no connection yet: one that has its own would not notice. */
function exhaustConnections(postgres: OwnPostgres, { api }: House): Fault {
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
      // They go by themselves: with every place taken, nobody could come in to send them away.
      for (const idler of idlers.splice(0))
        if (idler.exitCode === null) await new Promise((resolve) => idler.once('exit', resolve));
    },
  };
}

function fillDisk(postgres: OwnPostgres, filler: string): Fault {
  return {
    name: 'disk full',
    begin() {
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' });
      } catch {
        // It ends when there is no room left, which is the point.
      }
    },
    async end() {
      rmSync(filler, { force: true });
      // Without room for its log it may have stopped; a service manager starts it again.
      await postgres.start();
    },
  };
}
