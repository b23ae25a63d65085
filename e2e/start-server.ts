/** Started by Playwright: a fresh database, the real migrations, the real server, its output kept for the canary sweep. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { repo, reports, serverEnv, stage } from './stage.ts';

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const maintenance = new URL(stage.databaseUrl);
maintenance.pathname = '/postgres';
const database = new URL(stage.databaseUrl).pathname.slice(1);
execFileSync('psql', [maintenance.href, '-qc', `drop database if exists ${database} with (force)`], {
  stdio: 'ignore',
});

const redis = new Redis(stage.redisUrl);
const old = await redis.keys(`${stage.redisPrefix}*`);
if (old.length > 0) await redis.del(old);
await redis.quit();

const log = openSync(stage.log, 'a');
execFileSync(process.execPath, [`${repo}server/src/bin/migrate.ts`], {
  env: serverEnv,
  stdio: ['ignore', log, log],
});
const server = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
  cwd: repo,
  env: serverEnv,
  stdio: ['ignore', log, log],
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 0));
