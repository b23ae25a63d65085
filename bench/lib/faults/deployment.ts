import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../testkit/free-port.ts';
import { isReady, migrate, spawnServer, type ServerProcess } from '../../../testkit/server-process.ts';
import { waitUntil } from '../../../testkit/wait-until.ts';
import { onCleanup } from './cleanup.ts';

/** The real api and worker, each restarted when it ends, as a service manager does. */

type Env = Readonly<Record<string, string>>;

export interface SupervisedProcess {
  readonly port: number;
  /** The file with the codes it sends. */
  readonly outbox: string;
  kill(): void;
  /** SIGTERM, as a service manager does before a new release. */
  restart(): void;
  pid(): number;
  untilReady(): Promise<void>;
  stop(): Promise<void>;
  readonly crashes: () => number;
}

export async function supervise(name: string, given: Env): Promise<SupervisedProcess> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-faults-'));
  const outbox = join(folder, 'outbox.jsonl');
  let server: ServerProcess | null = null;
  let isWanted = true;
  let isExpected = false;
  let crashes = 0;

  async function start(): Promise<void> {
    const started = await spawnServer({
      port,
      env: {
        NODE_ENV: 'test',
        HOST: '127.0.0.1',
        LIMITS_SCALE: '1000000',
        PHONE_INDEX_COST: '4',
        LOG_LEVEL: 'error',
        SMS_OUTBOX_FILE: outbox,
        ...given,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = started;
    started.child.stderr?.on('data', (part: Buffer) => process.stderr.write(`${name}: ${part.toString()}`));
    started.child.once('exit', () => {
      if (!isExpected) crashes += 1;
      isExpected = false;
      server = null;
      if (isWanted) setTimeout(() => void (isWanted && start()), 200);
    });
  }

  async function stop(): Promise<void> {
    if (!isWanted) return;
    isWanted = false;
    isExpected = server !== null;
    await server?.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }

  await start();
  onCleanup(stop);
  return {
    port,
    outbox,
    kill() {
      isExpected = true;
      server?.child.kill('SIGKILL');
    },
    restart() {
      isExpected = true;
      server?.child.kill('SIGTERM');
    },
    pid: () => server?.child.pid ?? 0,
    untilReady: () => waitUntil(name, () => isReady(`http://127.0.0.1:${port}`)),
    stop,
    crashes: () => crashes,
  };
}

export interface Deployment {
  readonly api: SupervisedProcess;
  readonly worker: SupervisedProcess;
  /** Another api with production limits that trusts X-Forwarded-For, for tests of the limits. */
  readonly strict: SupervisedProcess;
  crashes(): number;
  stop(): Promise<void>;
}

interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export const migrateDatabase = (databaseUrl: string) =>
  migrate({ NODE_ENV: 'test', DATABASE_URL: databaseUrl });

export async function startDeployment(
  { databaseUrl, redisUrl }: Stores,
  more: Env = {},
): Promise<Deployment> {
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...more };
  const api = await supervise('api', { ...env, SERVICES: 'api' });
  const worker = await supervise('worker', { ...env, SERVICES: 'worker' });
  const strict = await supervise('strict api', {
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
