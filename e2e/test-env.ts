import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sampleVents } from '../server/seed/sample-vents.ts';
import { loginsWithSchemas } from '../server/src/platform/logins.ts';
import { bareEnv } from '../testkit/child-processes.ts';
import { apartEnv } from '../testkit/postgres-apart.ts';

export { loginsWithSchemas, sampleVents };

export const repo = fileURLToPath(new URL('..', import.meta.url));
export const reports = `${repo}reports/e2e`;

/**
 * Playwright workers, one more than the smallest machine has cores: a journey waits a quarter of the time. Each has a
 * server, a database and a Redis prefix of its own: journeys that run at the same time never see each other's data.
 */
export const workers = Number(process.env['E2E_WORKERS'] ?? 3);

/** Each server answers with its metrics on a second port. */
export const metricsPort = (port: number) => port + 6374;
/** And serves the moderation console on a third. */
const modPort = (port: number) => port + 2000;

/** Beside a product that runs here, and other checkouts: the first that are free. */
function findPorts(): string {
  const offsets = Array.from({ length: workers }, (_, worker) => [
    worker,
    modPort(worker),
    metricsPort(worker),
  ]);
  const args = [`${repo}e2e/free-ports.ts`, '3100', String(workers), ...offsets.flat().map(String)];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

/**
 * The first of the ports, one for each worker. In the environment: Playwright reads this module first, and hands that on to
 * its workers and to start-server.ts.
 */
const firstPort = Number((process.env['E2E_PORT'] ??= findPorts()));

export interface TestEnv {
  readonly port: number;
  readonly origin: string;
  /** Where moderators work. */
  readonly modOrigin: string;
  /** The database of a schema, as its owner. */
  readonly ownerUrlOf: (schema: string) => string;
  /** All databases. */
  readonly ownerUrls: readonly string[];
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Where the server writes the codes that it would send by SMS. */
  readonly outbox: string;
  readonly log: string;
  /** The environment variables of the server. */
  readonly server: NodeJS.ProcessEnv;
}

/** E2E_POSTGRES=apart: each schema, and the job queue, has a PostgreSQL server of its own. */
export const isApart = process.env['E2E_POSTGRES'] === 'apart';
const schemas = [...new Set(loginsWithSchemas.map(({ schema }) => schema))];
export const apartPort = (port: number, schema: string) =>
  firstPort + 3000 + (port - firstPort) * schemas.length + schemas.indexOf(schema);

function databaseUrlOf(port: number, schema: string, login = 'owner'): string {
  if (isApart) return `postgres://${login}@127.0.0.1:${apartPort(port, schema)}/unsaid`;
  const common = new URL(process.env['DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/unsaid');
  common.pathname = `/unsaid_e2e_${port}`;
  return common.href;
}

/** A machine that stalls must change no response. The timeouts and the circuit breaker have tests of their own. */
function patient(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const name of ['statement_timeout', 'query_timeout']) url.searchParams.set(name, '60000');
  return url.href;
}

export function createTestEnv(worker: number): TestEnv {
  const port = firstPort + worker;
  const ownerUrlOf = (schema: string) => databaseUrlOf(port, schema);
  const env = {
    port,
    origin: `http://localhost:${port}`,
    modOrigin: `http://localhost:${modPort(port)}`,
    ownerUrlOf,
    ownerUrls: [...new Set(schemas.map(ownerUrlOf))],
    redisUrl: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
    redisPrefix: `e2e-${port}:`,
    outbox: `${reports}/outbox-${worker}.jsonl`,
    log: `${reports}/server-${worker}.log`,
  };
  return {
    ...env,
    server: {
      ...bareEnv,
      NODE_ENV: 'test',
      HOME: process.env['HOME'],
      ...(isApart
        ? apartEnv(loginsWithSchemas, (schema, login) => patient(databaseUrlOf(port, schema, login)))
        : { DATABASE_URL: patient(ownerUrlOf('content')) }),
      REDIS_URL: env.redisUrl,
      REDIS_PREFIX: env.redisPrefix,
      // As for the databases.
      REDIS_TIMEOUT_MS: '60000',
      HANDLER_TIMEOUT_MS: '60000',
      // The slow hash of a phone number costs a tenth of a second of CPU at each sign-in.
      PHONE_INDEX_COST: '8',
      PORT: String(port),
      METRICS_PORT: String(metricsPort(port)),
      PUBLIC_ORIGIN: env.origin,
      SERVICES: 'api,worker,mod',
      MOD_PORT: String(modPort(port)),
      MOD_ORIGIN: env.modOrigin,
      SMS_OUTBOX_FILE: env.outbox,
      // All journeys come from one address. Only proof-of-work.spec.ts is about rate limits.
      LIMITS_SCALE: '200',
      // Production ticks every 25 s and counts content again after 5 to 10 minutes. Here no journey waits for that.
      LIVE_TICK_MS: '1000',
      LIVE_RECOUNT_MS: '1000',
      GRIEVANCE_OFFICER_NAME: 'Asha Rao',
      GRIEVANCE_OFFICER_EMAIL: 'grievance@unsaid.example',
      SMS_COUNTRIES: process.env['SMS_COUNTRIES'] ?? 'all',
    },
  };
}

export const testEnvs = Array.from({ length: workers }, (_, worker) => createTestEnv(worker));

function currentTestEnv(): TestEnv {
  // Set by Playwright in its workers. Anything else uses the first server.
  const worker = Number(process.env['TEST_PARALLEL_INDEX'] ?? 0);
  const env = testEnvs[worker];
  if (!env) throw new Error(`there is no server for worker ${worker}: run at most ${workers} workers`);
  return env;
}

export const testEnv = currentTestEnv();
