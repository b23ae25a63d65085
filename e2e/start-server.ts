/**
 * Started by Playwright. Each worker gets a new database, the real migrations and the real server. The servers' output
 * is kept for the canary sweep. Prints "ready" once all servers are.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { startPostgresApart } from '../testkit/postgres-apart.ts';
import { apartPort, isApart, loginsWithSchemas, repo, reports, testEnvs, type TestEnv } from './test-env.ts';

const run = promisify(execFile);

async function createDatabase({ port, ownerUrlOf }: TestEnv): Promise<void> {
  if (isApart) {
    const started = await startPostgresApart(loginsWithSchemas, {
      portOf: (schema) => apartPort(port, schema),
    });
    for (const { remove } of started.values()) cleanups.push(remove);
    return;
  }
  const maintenance = new URL(ownerUrlOf('content'));
  const name = maintenance.pathname.slice(1);
  maintenance.pathname = '/postgres';
  const statements = [
    `drop database if exists ${name} with (force)`,
    `create database ${name}`,
    // Nothing here has to survive a crash, and a busy disk must not delay a commit.
    `alter database ${name} set synchronous_commit = off`,
  ];
  await run('psql', [maintenance.href, '-q', ...statements.flatMap((statement) => ['-c', statement])]);
}

async function clearRedis({ redisUrl, redisPrefix }: TestEnv): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${redisPrefix}*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

const isUp = (origin: string) =>
  fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
const isReady = async ({ origin, modOrigin }: TestEnv) => (await isUp(origin)) && isUp(modOrigin);

const servers: ChildProcess[] = [];
const cleanups: (() => Promise<void>)[] = [];
const end = async (code: number) => {
  await Promise.all(cleanups.map((clean) => clean()));
  process.exit(code);
};

async function startServer(env: TestEnv): Promise<void> {
  if (await isUp(env.origin)) throw new Error(`${env.origin} is in use: set another E2E_PORT`);
  await Promise.all([createDatabase(env), clearRedis(env)]);
  await run(process.execPath, [`${repo}server/src/bin/migrate.ts`], { env: env.server });
  const log = openSync(env.log, 'a');
  const server = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
    cwd: repo,
    env: env.server,
    stdio: ['ignore', log, log],
  });
  servers.push(server);
  server.on('exit', (code) => void end(code ?? 0));
  while (!(await isReady(env))) await pause(50);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (servers.length === 0) void end(1);
    for (const server of servers) server.kill(signal);
  });
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
await Promise.all(testEnvs.map(startServer));
console.log('ready');
