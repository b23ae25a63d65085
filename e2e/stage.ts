import { fileURLToPath } from 'node:url';

/** Where the journeys take place: a server of their own, on its own database. */

export const repo = fileURLToPath(new URL('..', import.meta.url));
export const reports = `${repo}reports/e2e`;

/** Another port is another stage: two checkouts on one machine need not wait for each other. */
const port = Number(process.env['E2E_PORT'] ?? 3100);
export const origin = `http://localhost:${port}`;

function databaseUrl(): string {
  const url = new URL(process.env['DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/unsaid');
  url.pathname = `/unsaid_e2e_${port}`;
  return url.href;
}

export const stage = {
  databaseUrl: databaseUrl(),
  redisUrl: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
  redisPrefix: `e2e-${port}:`,
  outbox: `${reports}/outbox.jsonl`,
  log: `${reports}/server.log`,
};

/** What the server is started with. */
export const serverEnv: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_ENV: 'test',
  HOME: process.env['HOME'],
  DATABASE_URL: stage.databaseUrl,
  REDIS_URL: stage.redisUrl,
  REDIS_PREFIX: stage.redisPrefix,
  // Two cores carry browser, server, Postgres and Redis: a stall here is not a lost Redis.
  REDIS_TIMEOUT_MS: '2000',
  PORT: String(port),
  METRICS_PORT: String(port + 6374),
  PUBLIC_ORIGIN: origin,
  SMS_OUTBOX_FILE: stage.outbox,
  // All journeys come from one address, and none but that of work.spec.ts is about its limits.
  LIMITS_SCALE: '200',
  SMS_COUNTRIES: process.env['SMS_COUNTRIES'] ?? 'all',
};
