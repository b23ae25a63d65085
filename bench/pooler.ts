/**
 * npm run bench:pooler -- [--processes 20] [--rounds 200] [--connections 50]
 *
 * Many api processes behind PgBouncer in transaction mode, against as many with connections of their own, alternating.
 * Debian 12's PgBouncer knows no prepared statements, so Debian 13's runs in a folder of its own (debootstrap, as root).
 * About three minutes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../testkit/options.ts';
import { getVent, listVents, react, type Endpoint } from '@unsaid/contract';
import { createSampleTexts } from '../server/seed/sample-texts.ts';
import { seedVents } from '../server/seed/vents.ts';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { loginRoles } from '../server/src/platform/logins.ts';
import { spawnChild } from '../testkit/child-processes.ts';
import { freePort } from '../testkit/free-port.ts';
import { migrate, repo, startServer } from '../testkit/server-process.ts';
import { startTempPostgres } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { createClient, percentile } from './lib/client.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { openSessions } from './lib/open-sessions.ts';
import { psql } from './lib/psql.ts';
import { grouped, targetTable } from './lib/section.ts';
import { idAt, seedPeople } from './lib/seed-people.ts';

const { processes, rounds, connections } = readOptions({ processes: 20, rounds: 200, connections: 50 });
const mostSlower = 1.3;
// A process that starts holds two at once to see that a pooler keeps prepared statements (platform/pooler-check.ts).
const leastConnections = 2 * loginRoles.length;
if (connections < leastConnections) {
  console.error(`--connections: at least ${leastConnections}, two for each login`);
  process.exit(1);
}
const people = 200;
const debian = '/var/tmp/unsaid-debian13';

function preparePgbouncer(): void {
  if (existsSync(join(debian, 'usr/sbin/pgbouncer'))) return;
  execFileSync('bash', [
    '-c',
    `command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
     debootstrap --variant=minbase --include=pgbouncer trixie ${debian} >/dev/null`,
  ]);
}

/** Without the options of our own psql, which PgBouncer refuses. */
const ask = (port: number, database: string, text: string) =>
  execFileSync('psql', ['-XAtqc', text, `postgres://app_content@127.0.0.1:${port}/${database}`], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

/** The roles share the connections: a pool of each login is as large. */
async function startPgbouncer(postgresPort: number): Promise<number> {
  const port = await freePort();
  writeFileSync(
    join(debian, 'etc/unsaid.ini'),
    `[databases]
unsaid = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = /etc/unsaid-users
admin_users = app_content
pool_mode = transaction
max_prepared_statements = 500
default_pool_size = ${Math.floor(connections / loginRoles.length)}
max_db_connections = ${connections}
max_client_conn = 5000
`,
  );
  writeFileSync(
    join(debian, 'etc/unsaid-users'),
    loginRoles.map((role) => `"app_${role}" "none"\n`).join(''),
  );
  spawnChild('chroot', [debian, 'pgbouncer', '-q', '-u', 'postgres', '/etc/unsaid.ini'], { stdio: 'ignore' });
  await waitUntil('PgBouncer', () => {
    try {
      return ask(port, 'unsaid', 'select 1') === '1';
    } catch {
      return false;
    }
  });
  return port;
}

async function seed(url: string): Promise<string[]> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: url, LOG_LEVEL: 'error' });
  const deps = await buildDeps({ ...config, databaseTimeoutMs: 0 });
  try {
    await seedPeople({ url, ...deps }, people);
    const options = { seed: 1, vents: 20_000, users: people, texts: createSampleTexts };
    for await (const _done of seedVents(deps.databases.content, { ...deps, ...options, now: Date.now() })) {
      // Each batch is committed.
    }
  } finally {
    await deps.close();
  }
  return openSessions(
    url,
    Array.from({ length: people }, (_, n) => idAt(n)),
  );
}

preparePgbouncer();
const postgres = await startTempPostgres({ settings: ['max_connections = 1200', 'shared_buffers = 512MB'] });
const redis = await startTempRedis();
try {
  const passwords = [...loginRoles, 'migrator'].map((role) => [`${role.toUpperCase()}_PASSWORD`, 'none']);
  execFileSync('psql', [postgres.url, '-X', '-f', join(repo, 'deploy/logins.sql')], {
    env: { PATH: process.env['PATH'], ...Object.fromEntries(passwords) },
  });
  migrate({ NODE_ENV: 'test', DATABASE_URL: postgres.url, LOG_LEVEL: 'error' });
  const tokens = await seed(postgres.url);
  psql(postgres.url, 'vacuum analyze');

  const startAll = async (port: number) => {
    const urls = loginRoles
      .filter((role) => role !== 'console')
      .map((role) => [
        `${role.toUpperCase()}_DATABASE_URL`,
        `postgres://app_${role}@127.0.0.1:${port}/unsaid`,
      ]);
    const env = {
      NODE_ENV: 'test',
      ...Object.fromEntries(urls),
      REDIS_URL: redis.url,
      REDIS_PREFIX: `${port}:`,
      LIMITS_SCALE: '1000000',
      LOG_LEVEL: 'warn',
      SERVICES: 'api',
    };
    const servers = [];
    for (let n = 0; n < processes; n += 1) servers.push(await startServer({ env }));
    return servers.map((server) => ({ server, client: createClient(server.port, 4) }));
  };
  const poolerPort = await startPgbouncer(postgres.port);
  const sides = [
    { name: 'PgBouncer', all: await startAll(poolerPort) },
    { name: 'connections of their own', all: await startAll(postgres.port) },
  ] as const;
  const first = sides[0].all[0];
  const { vents } = (
    await (first as NonNullable<typeof first>).client.call(listVents, {
      token: tokens[0] ?? '',
      query: { limit: '100' },
    })
  ).body;
  const at = (n: number) => vents[n % vents.length]?._id ?? '';
  const calls: Record<string, (n: number) => [Endpoint, object]> = {
    // A page size that is not cached.
    feed: (n) => [listVents, { query: { page: String(1 + (n % 10)), limit: '6' } }],
    detail: (n) => [getVent, { params: { id: at(n) } }],
    reaction: (n) => [react, { body: { ventId: at(n), reactionType: 'hug' } }],
  };
  const times = sides.map(() => new Map(Object.keys(calls).map((name) => [name, [] as number[]])));
  let failed = 0;
  for (let round = -20; round < rounds; round += 1)
    for (const [name, call] of Object.entries(calls))
      for (const [index, { all }] of round % 2 === 0
        ? [...sides.entries()]
        : [...sides.entries()].toReversed()) {
        // Every process has two requests at once.
        await Promise.all(
          [...all, ...all].map(async ({ client }, n) => {
            const [endpoint, input] = call(round * processes + n + 1000);
            const begun = performance.now();
            const { status } = await client.call(endpoint, { token: tokens[n % people] ?? '', ...input });
            if (round >= 0) times[index]?.get(name)?.push(performance.now() - begun);
            if (status !== 200) failed += 1;
          }),
        );
      }
  const total = Number(
    psql(postgres.url, `select count(*) from pg_stat_activity where usename like 'app\\_%'`),
  );
  const pooled = ask(poolerPort, 'pgbouncer', 'show servers').split('\n').length;
  const rows = Object.keys(calls).map((name) => {
    const [through, own] = times.map((of) => (of.get(name) ?? []).toSorted((a, b) => a - b)) as [
      number[],
      number[],
    ];
    return { name, through, own };
  });
  const both = (list: number[]) =>
    `${percentile(list, 0.5).toFixed(1)} / ${percentile(list, 0.99).toFixed(1)}`;
  console.log(
    markdownTable(
      ['p50 / p99, ms', ...sides.map(({ name }) => name)],
      rows.map(({ name, through, own }) => [name, both(through), both(own)]),
    ),
  );
  console.log(
    `\n${processes} api processes on each side, ${2 * processes} requests at once, ${grouped(rounds * 2 * processes)} of each kind. PostgreSQL had ${pooled} connections of PgBouncer and ${total - pooled} of the others. Load average ${loadavg()[0]?.toFixed(1)}.\n`,
  );
  const ratios = rows.map(({ through, own }) => percentile(through, 0.99) / percentile(own, 0.99));
  console.log(
    targetTable([
      {
        what: 'p99 of the feed through PgBouncer over own connections',
        wanted: `${mostSlower} at most`,
        measured: (ratios[0] ?? NaN).toFixed(2),
        isReached: (ratios[0] ?? NaN) <= mostSlower,
      },
      { what: 'failed calls', wanted: '0', measured: String(failed), isReached: failed === 0 },
    ]),
  );
  if (failed > 0) process.exitCode = 1;
  for (const { all } of sides)
    for (const { server, client } of all) {
      client.close();
      await server.stop('SIGKILL');
    }
} finally {
  await redis.remove();
  await postgres.remove();
}
process.exit();
