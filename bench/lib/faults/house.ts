import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../server/test/free-port.ts';
import { atTheEnd } from './undo.ts';

/** The real api and worker, each started again whenever it ends, as a service manager would. */

const repo = fileURLToPath(new URL('../../..', import.meta.url));

type Env = Readonly<Record<string, string>>;

export interface Kept {
  readonly port: number;
  /** Where its codes end up. */
  readonly outbox: string;
  kill(): void;
  untilReady(): Promise<void>;
  stop(): Promise<void>;
  readonly crashes: () => number;
}

async function keepUp(name: string, given: Env): Promise<Kept> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-faults-'));
  const outbox = join(folder, 'outbox.jsonl');
  let child: ChildProcess | null = null;
  let isWanted = true;
  let isExpected = false;
  let crashes = 0;

  async function start(): Promise<void> {
    const metricsPort = await freePort();
    if (!isWanted) return;
    const started = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        HOST: '127.0.0.1',
        LIMITS_SCALE: '1000000',
        PHONE_INDEX_COST: '4',
        LOG_LEVEL: 'error',
        SMS_OUTBOX_FILE: outbox,
        ...given,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    started.stderr.on('data', (part: Buffer) => process.stderr.write(`${name}: ${part.toString()}`));
    started.once('exit', () => {
      if (!isExpected) crashes += 1;
      isExpected = false;
      child = null;
      if (isWanted) setTimeout(() => void start(), 200);
    });
  }

  async function stop(): Promise<void> {
    if (!isWanted) return;
    isWanted = false;
    const running = child;
    if (running) {
      isExpected = true;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }

  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  await start();
  atTheEnd(stop);
  return {
    port,
    outbox,
    kill() {
      isExpected = true;
      child?.kill('SIGKILL');
    },
    async untilReady() {
      for (let wait = 0; wait < 1200; wait += 1) {
        if (await isReady()) return;
        await pause(50);
      }
      throw new Error(`${name} did not come back`);
    },
    stop,
    crashes: () => crashes,
  };
}

export interface House {
  readonly api: Kept;
  readonly worker: Kept;
  /** Another api with the limits of production, where addresses are believed: for whoever tries those limits. */
  readonly strict: Kept;
  crashes(): number;
  stop(): Promise<void>;
}

interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export function migrate(databaseUrl: string): void {
  execFileSync(process.execPath, [`${repo}server/src/bin/migrate.ts`], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function openHouse({ databaseUrl, redisUrl }: Stores, more: Env = {}): Promise<House> {
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...more };
  const api = await keepUp('api', { ...env, SERVICES: 'api' });
  const worker = await keepUp('worker', { ...env, SERVICES: 'worker' });
  const strict = await keepUp('strict api', {
    ...env,
    SERVICES: 'api',
    LIMITS_SCALE: '1',
    TRUSTED_PROXIES: '127.0.0.1',
    REDIS_PREFIX: 'strict:',
    DATABASE_POOL_SIZE: '1',
  });
  const all = [api, worker, strict];
  await api.untilReady();
  await strict.untilReady();
  return {
    api,
    worker,
    strict,
    crashes: () => all.reduce((sum, one) => sum + one.crashes(), 0),
    async stop() {
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}
