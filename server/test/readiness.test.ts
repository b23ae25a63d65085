import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createVent,
  errorKinds,
  getSelf,
  listInbox,
  listNotices,
  listVents,
  matchSuggestions,
  reportVent,
  requestOtp,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endChild, hasEnded, spawnChild } from '../../testkit/child-processes.ts';
import { freePort } from '../../testkit/free-port.ts';
import { apartEnv, startPostgresApart } from '../../testkit/postgres-apart.ts';
import { migrate, spawnServer } from '../../testkit/server-process.ts';
import { startTempPostgres } from '../../testkit/temp-postgres.ts';
import { startTempRedis } from '../../testkit/temp-redis.ts';
import { schemaNames } from '../src/db/schemas.ts';
import { settingsOf } from '../src/platform/db.ts';
import { checkLogins } from '../src/platform/login-check.ts';
import { createLogger } from '../src/platform/logger.ts';
import { loginsWithSchemas } from '../src/platform/logins.ts';
import { checkPoolers } from '../src/platform/pooler-check.ts';
import { productionTimeouts, startBeside, usePool, useTestApp, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { makeComment, makePhone, makeVent, signIn, type Person } from './factories.ts';
import { fullTier } from './runs.ts';
import { postgresAddress, startFaultProxy } from './fault-proxy.ts';

/** Readiness and calls while one store after the other is away. */

const app = useTestApp({ ...productionTimeouts, services: new Set(['api', 'worker']) });
const owner = usePool(app);

/** The status and the body of /readyz, and how long it took. */
async function readiness(of: TestApp) {
  const begun = performance.now();
  const answer = await of.server.inject('/readyz');
  expect(performance.now() - begun).toBeLessThan(5000);
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}
const statusOf = async (of: TestApp) => (await readiness(of)).status;
const untilReady = (of: TestApp) =>
  vi.waitUntil(async () => (await statusOf(of)) === 200, { timeout: 60_000, interval: 50 });

/** One call that needs each schema. A body that is an outage has the sentence that people are shown. */
async function callAll(of: TestApp, as: Person): Promise<number[]> {
  const answers = [
    await of.call(getSelf, { as }),
    await of.call(createVent, { as, body: { title: 'Said', text: 'Words', emotion: 'Sad' } }),
    await of.call(matchSuggestions, { as }),
    await of.call(listNotices, { as }),
    await of.call(requestOtp, { body: { phone: makePhone() } }),
  ];
  for (const { status, body } of answers)
    if (status === 503) expect(body.message).toBe(errorKinds.TEMPORARILY_UNAVAILABLE.message);
  return answers.map(({ status }) => status);
}
const allWell = [200, 201, 200, 200, 200];

test.each([...schemaNames, 'jobs'])(
  'without the schema %s, /readyz and calls return 503 and never 500, and come back by themselves',
  async (schema) => {
    const person = await signIn(app);
    expect(await callAll(app, person)).toEqual(allWell);
    expect(await statusOf(app)).toBe(200);
    const move = async (from: string, to: string) => {
      await owner.query(`alter schema ${from} rename to ${to}`);
      // A prepared statement still finds the tables of a renamed schema.
      await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'unsaid%'`,
      );
    };
    await move(schema, 'away');
    const { status, body } = await readiness(app);
    const during = await callAll(app, person);
    await move('away', schema);
    expect(status).toBe(503);
    expect(body).toMatchObject({ postgres: 'down', redis: 'up', schemas: { [schema]: 'down' } });
    expect(during).not.toContain(500);
    if (schema !== 'jobs') expect(during).toContain(503);
    await untilReady(app);
    expect(await callAll(app, person)).toEqual(allWell);
  },
);

test.each(schemaNames)(
  'where the login of %s lost its rights, /readyz and calls return 503 and never 500',
  async (schema) => {
    const person = await signIn(app);
    const role = `unsaid_${schema}`;
    await owner.query(`revoke usage on schema ${schema} from ${role}`);
    const { status, body } = await readiness(app);
    const during = await callAll(app, person);
    await owner.query(`grant usage on schema ${schema} to ${role}`);
    expect([status, body['schemas']]).toEqual([503, expect.objectContaining({ [schema]: 'down' })]);
    expect(during).not.toContain(500);
    expect(await statusOf(app)).toBe(200);
  },
);

test.each(schemaNames)(
  'where the pool of %s gets no answer, /readyz returns 503 within 5 s, and 200 once it does',
  fullTier('A load balancer notices later that a process hangs; the tests above find the rest.'),
  async (schema) => {
    const url = new URL(app.config.databaseUrl);
    const proxy = await startFaultProxy(postgresAddress(url));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    url.search = '';
    const second = await startBeside(app, { roleUrls: { [schema]: url.href } });
    onTestFinished(async () => {
      await second.close();
      await proxy.close();
    });
    expect(await statusOf(second)).toBe(200);
    proxy.blackHole();
    const { status, body } = await readiness(second);
    expect([status, body['schemas']]).toEqual([503, expect.objectContaining({ [schema]: 'down' })]);
    await proxy.restore();
    await untilReady(second);
  },
);

test('without Redis, without its scripts and with a full one, /readyz returns 503, calls never 500, and both come back', async () => {
  const redis = await startTempRedis();
  onTestFinished(() => redis.remove());
  const beside = await startBeside(app, { redisUrl: redis.url, redisTimeoutMs: 200 });
  onTestFinished(() => beside.close());
  const person = await signIn(beside);
  for (const [away, back] of [
    [() => redis.killHard(), () => redis.start()],
    // A provider that allows no scripts, and one that allows them and not what they do.
    ...['-eval|-evalsha', '-set'].map((rights) => [
      () => void redis.command('acl', 'setuser', 'default', ...rights.split('|')),
      () => void redis.command('acl', 'setuser', 'default', '+@all'),
    ]),
    [
      () => void redis.command('config', 'set', 'maxmemory', '1'),
      () => void redis.command('config', 'set', 'maxmemory', '0'),
    ],
  ] as const) {
    await away?.();
    expect((await readiness(beside)).body).toMatchObject({ postgres: 'up', redis: 'down' });
    const during = await callAll(beside, person);
    expect(during).not.toContain(500);
    expect(during.at(-1)).toBe(503);
    await back?.();
    await untilReady(beside);
    expect((await callAll(beside, person)).at(-1)).toBe(200);
  }
});

test(
  'with each schema on a PostgreSQL of its own, everything works; without one of them the others go on',
  fullTier('Only a deployment with several servers meets it.'),
  async () => {
    const servers = await startPostgresApart(loginsWithSchemas);
    onTestFinished(async () => {
      for (const server of servers.values()) await server.remove();
    });
    const urlOf = (schema: string, login: string) =>
      (servers.get(schema)?.url ?? '').replace('//owner@', `//${login}@`);
    const roleUrls = Object.fromEntries(
      loginsWithSchemas.map(({ role, schema }) => [role, urlOf(schema, `app_${role}`)]),
    );
    migrate(apartEnv(loginsWithSchemas, urlOf));
    const logger = createLogger('silent');
    expect(await checkLogins(roleUrls, logger)).toEqual([]);
    expect(await checkPoolers({ ...app.config, roleUrls }, 2000, logger)).toEqual([]);
    // A thief of one machine has one schema.
    for (const [name, server] of servers)
      expect(
        server.sql(
          `select string_agg(nspname, ',') from pg_namespace where nspname = any('{${[...servers.keys()].join()}}')`,
        ),
      ).toBe(name);

    const apart = await startBeside(app, { roleUrls, redisPrefix: `${app.config.redisPrefix}apart:` });
    onTestFinished(apart.close);
    expect(await readiness(apart)).toMatchObject({ status: 200, body: { migrations: 'applied' } });
    const [person, other] = [await signIn(apart), await signIn(apart)];
    for (const as of [person, other]) expect(await callAll(apart, as)).toEqual(allWell);
    const { id } = await makeVent(apart, person);
    await makeComment(apart, other, id);
    expect((await apart.call(reportVent, { as: other, body: { ventId: id, reason: 'Spam' } })).status).toBe(
      201,
    );
    expect((await apart.call(listInbox, { as: person, query: {} })).body.lines).toHaveLength(1);
    for (const job of apart.features.jobs) await job.run();
    expect((await apart.call(listVents, { as: other })).body.vents.map(({ _id }) => _id)).toContain(id);

    // What each of the calls above needs beside the session. Signing in needs moderation too: who is banned stays out.
    const needs = [[], ['content'], ['matching', 'content', 'moderation'], ['moderation'], []];
    for (const name of schemaNames.filter((schema) => schema !== 'identity')) {
      const visitor = await signIn(apart);
      await servers.get(name)?.killHard();
      const { status, body } = await readiness(apart);
      expect([status, body['schemas']]).toEqual([
        503,
        expect.objectContaining({ [name]: 'down', identity: 'up' }),
      ]);
      const statuses = await callAll(apart, visitor);
      for (const [n, needed] of needs.entries())
        expect(statuses[n] === 503, `call ${n} without ${name}: ${statuses[n]}`).toBe(needed.includes(name));
      await servers.get(name)?.start();
      await untilReady(apart);
      expect(await callAll(apart, await signIn(apart))).toEqual(allWell);
    }
  },
);

/** A real PgBouncer in front of the database of the tests. Debian's: 1.18, which knows no prepared statements. */
async function startPooler(settings: readonly string[]) {
  const target = new URL(app.config.databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-pooler-'));
  const port = await freePort();
  const name = target.pathname.slice(1);
  const user = decodeURIComponent(target.username);
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
${name} = host=${target.searchParams.get('host') ?? target.hostname} port=${target.port || 5432} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
${settings.join('\n')}
`,
  );
  chmodSync(folder, 0o755);
  // PgBouncer refuses to run as root, and PostgreSQL's socket believes the user of the process.
  const child = spawnChild('pgbouncer', ['-q', '-u', 'postgres', join(folder, 'ini')], { stdio: 'ignore' });
  onTestFinished(async () => {
    await endChild(child, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const url = new URL(`postgres://${user}@127.0.0.1:${port}/${name}`).href;
  await vi.waitUntil(() => withClient(url, async () => true).catch(() => false), { timeout: 60_000 });
  return { url, port, child };
}

test(
  'a standby given as the primary: the server does not start, and says so in one line',
  fullTier('Only a wrong address in the settings meets it.'),
  async () => {
    const postgres = await startTempPostgres();
    onTestFinished(postgres.remove);
    const env = {
      NODE_ENV: 'test',
      DATABASE_URL: postgres.url,
      REDIS_URL: app.config.redisUrl,
      REDIS_CLUSTER: String(app.config.isRedisCluster),
      SERVICES: 'api',
    };
    migrate(env);
    await postgres.startAsStandby();
    const server = await spawnServer({ env });
    onTestFinished(() => server.stop('SIGKILL'));
    await vi.waitUntil(() => hasEnded(server.child), { timeout: 60_000 });
    expect(server.output()).toContain('IDENTITY_DATABASE_URL: leads to a standby');
    expect(server.child.exitCode).toBe(1);
  },
);

describe(
  'behind PgBouncer (apt-get install pgbouncer)',
  fullTier('Only a deployment with a pooler meets it.'),
  () => {
    const startServerOn = (url: string) =>
      spawnServer({
        env: {
          NODE_ENV: 'test',
          DATABASE_URL: url,
          REDIS_URL: app.config.redisUrl,
          REDIS_CLUSTER: String(app.config.isRedisCluster),
          SERVICES: 'api',
        },
      });

    test.each([
      ['that refuses our settings', ['pool_mode = session'], 'use logins of deploy/logins.sql'],
      [
        'that drops our settings',
        ['pool_mode = session', 'ignore_startup_parameters = options'],
        'drops the settings',
      ],
      [
        'in transaction mode',
        ['pool_mode = transaction', 'ignore_startup_parameters = options'],
        'loses prepared statements',
      ],
    ])('%s, the server does not start, and says in one line what to do', async (_what, settings, line) => {
      const { url } = await startPooler(settings);
      const server = await startServerOn(url);
      onTestFinished(() => server.stop('SIGKILL'));
      await vi.waitUntil(() => hasEnded(server.child), { timeout: 60_000 });
      expect(server.output()).toContain(line);
      expect(server.child.exitCode).toBe(1);
    });

    test('in session mode with our settings on the database, the server starts; without the pooler it is not ready, and it comes back', async () => {
      const name = new URL(app.config.databaseUrl).pathname.slice(1);
      for (const schema of schemaNames)
        for (const [setting, value] of Object.entries(settingsOf(schema, 2000)))
          await owner.query(`alter database ${name} set ${setting} = '${value}'`);
      const { url, child } = await startPooler([
        'pool_mode = session',
        'ignore_startup_parameters = options',
      ]);
      const server = await startServerOn(url);
      onTestFinished(() => server.stop('SIGKILL'));
      await server.untilReady();
      child.kill('SIGSTOP');
      const begun = performance.now();
      expect((await fetch(`${server.origin}/readyz`)).status).toBe(503);
      expect(performance.now() - begun).toBeLessThan(5000);
      expect((await fetch(`${server.origin}/api/vent/all`)).status).not.toBe(500);
      child.kill('SIGCONT');
      await server.untilReady();
    });
  },
);
