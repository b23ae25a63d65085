import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint, RequestOf, ResponseOf } from '@unsaid/contract';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import { readConfig, type Config } from '../src/config.ts';
import { buildDeps } from '../src/deps.ts';
import { createPairKeys } from '../src/matching/pair-keys.ts';
import { buildFeatures } from '../src/features.ts';
import { outsideTransaction } from '../src/platform/confirmed-pool.ts';
import { buildModApp } from '../src/mod-app.ts';
import { secureRandom } from '../src/platform/shuffle.ts';
import { admin, createTestDatabase, databaseUrl, dropDatabase, openPool, withClient } from './db.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { createFakeClock, createLogSink, type FakeClock } from './fakes.ts';
import { deriveKeys } from './keys.ts';
import { checkSlots, isSplitHere, openInspector, skipOnCluster } from './redis.ts';

export interface Answer<B = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** The exact response body. */
  readonly text: string;
  readonly body: B & { code?: string; message?: string };
}

/** A caller: their token, cookies and address. */
export interface Actor {
  token?: string;
  address?: string;
  cookies?: Map<string, string>;
}

type CallOptions<E extends Endpoint> = Partial<RequestOf<E>> & {
  readonly as?: Actor | undefined;
  readonly headers?: Record<string, string>;
  readonly method?: 'HEAD';
};

let addresses = 0;

const defaults = readConfig({ ...process.env, NODE_ENV: 'test' });

/** For tests of the timeouts themselves. */
export const productionTimeouts: Partial<Config> = {
  databaseTimeoutMs: defaults.databaseTimeoutMs,
  handlerTimeoutMs: defaults.handlerTimeoutMs,
};

/**
 * The whole server on real Postgres and Redis, with a fake clock and a log that tests can read. Two worlds have the same data
 * keys, so that their bytes can be compared.
 */
export async function startTestApp(overrides: Partial<Config> = {}, { isWorld = false } = {}) {
  const database = await createTestDatabase();
  if (isWorld) await withClient(databaseUrl(database), deriveKeys);
  const config: Config = {
    ...defaults,
    databaseUrl: databaseUrl(database),
    redisPrefix: `test-${randomBytes(6).toString('hex')}:`,
    // Long, so that a machine that stalls changes no response.
    databaseTimeoutMs: 60_000,
    redisTimeoutMs: 10_000,
    handlerTimeoutMs: 60_000,
    // Several test apps run at once, some with a second process, on one PostgreSQL with 100 connections.
    databasePoolSize: 5,
    limitsScale: 20,
    phoneIndexCost: 4,
    sms: { ...defaults.sms, outboxFile: join(tmpdir(), `${database}.jsonl`) },
    testNumbers: new Map(),
    // The rights of every service: a test has moderators beside users.
    services: new Set(['api', 'worker', 'mod']),
    corsOrigins: [],
    trustedProxies: [],
    smsCountries: 'all',
    ...overrides,
  };
  const app = await startServer(config, createFakeClock());
  return {
    ...app,
    async close(): Promise<void> {
      await app.stop();
      await dropDatabase(database);
      await rm(join(tmpdir(), `${database}.jsonl`), { force: true });
    },
  };
}

/** A second process of the same service: its own server and pools, the same database, Redis and clock. */
export async function startBeside(app: TestApp, overrides: Partial<Config> = {}): Promise<TestApp> {
  const second = await startServer({ ...app.config, ...overrides }, app.clock);
  return { ...second, close: second.stop };
}

/** A second process, to which PostgreSQL refuses writing until it is closed. */
export async function startReadOnly(app: TestApp): Promise<TestApp> {
  const name = new URL(app.config.databaseUrl).pathname.slice(1);
  const database = pg.escapeIdentifier(name);
  const setting = 'default_transaction_read_only';
  await admin((client) => client.query(`alter database ${database} set ${setting} = on`));
  const from = new Date();
  const close = () =>
    admin(async (client) => {
      await client.query(`alter database ${database} reset ${setting}`);
      // On a slow machine the first process has opened connections meanwhile, and they would stay read-only.
      const opened = `from pg_stat_activity where datname = $1 and backend_start >= $2`;
      await client.query(`select pg_terminate_backend(pid, 10000) ${opened}`, [name, from]);
    });
  try {
    const second = await startBeside(app);
    return { ...second, close: () => second.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same behind a Redis proxy that can cut the connection; both close when the test ends. */
export async function startBehindProxy(app: TestApp) {
  skipOnCluster(app.config);
  const port = Number(new URL(app.config.redisUrl).port || 6379);
  const redis = await startFaultProxy({ host: '127.0.0.1', port });
  const second = await startBeside(app, { redisUrl: `redis://127.0.0.1:${redis.port}` });
  onTestFinished(async () => {
    await redis.restore();
    await second.close();
    await redis.close();
  });
  return { second, redis };
}

/** Calls an endpoint of a server by its contract. `usual` headers are sent unless a call sets others. */
function callerOf(findServer: () => Promise<FastifyInstance>, usual: Record<string, string> = {}) {
  return async <E extends Endpoint>(
    endpoint: E,
    options: CallOptions<E> = {},
  ): Promise<Answer<ResponseOf<E>>> => {
    const {
      as: actor,
      params,
      query,
      body,
      headers = {},
      method,
    } = options as CallOptions<Endpoint> & {
      params?: Record<string, string>;
      query?: Record<string, string>;
      body?: object;
    };
    const url = endpoint.path.replace(/:([a-z]+)/giu, (_, name: string) =>
      encodeURIComponent(params?.[name] ?? ''),
    );
    const cookies = [...(actor?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const server = await findServer();
    // As a request of its own, also where a test holds a transaction.
    const response = await outsideTransaction(async () =>
      server.inject({
        method: method ?? endpoint.method,
        url,
        ...(query ? { query } : {}),
        ...(body === undefined ? {} : { payload: body }),
        remoteAddress: actor?.address ?? '203.0.113.9',
        headers: {
          ...usual,
          ...(actor?.token ? { authorization: `Bearer ${actor.token}` } : {}),
          ...(cookies ? { cookie: cookies } : {}),
          ...headers,
        },
      }),
    );
    for (const { name, value } of response.cookies) {
      if (value === '') actor?.cookies?.delete(name);
      else actor?.cookies?.set(name, value);
    }
    return {
      status: response.statusCode,
      headers: response.headers as Answer['headers'],
      text: response.payload,
      body: (response.payload ? JSON.parse(response.payload) : {}) as Answer<ResponseOf<E>>['body'],
    };
  };
}

async function startServer(config: Config, clock: FakeClock) {
  const log = createLogSink();
  const statements: { role: string; text: string }[] = [];
  let random = secureRandom;
  // Thrown again at the end: many callers ignore what a cache replies.
  const breaches: unknown[] = [];
  const onCommand = (name: string, keys: readonly string[]) => {
    try {
      checkSlots(name, keys);
    } catch (breach) {
      breaches.push(breach);
      throw breach;
    }
  };
  const deps = await buildDeps(config, {
    clock,
    random: () => random(),
    logDestination: log,
    onStatement: (role, text) => statements.push({ role, text }),
    onSecondConnection() {
      const breach = new Error('a second connection is taken inside of a transaction');
      breaches.push(breach);
      throw breach;
    },
    redis: config.isRedisCluster || isSplitHere() ? { isSplit: true, onCommand } : {},
  });
  const features = await buildFeatures(deps);
  const { server, live, startDraining } = await buildApp(deps, features);

  const call = callerOf(async () => server);
  // Built at the first call: most tests have no moderator.
  let modApp: ReturnType<typeof buildModApp> | undefined;
  const modServer = async () => (await (modApp ??= buildModApp(deps, features))).server;
  /** A call of the moderation console, as its own pages make it. */
  const callMod = callerOf(modServer, { 'sec-fetch-site': 'same-origin' });

  /** The newest code sent to a number. Delivery happens after the response, so this waits for it. */
  async function codeFor(phone: string): Promise<string> {
    const find = () => deps.outbox.recent().find(({ to }) => to === phone)?.code;
    return find() ?? vi.waitUntil(find, { interval: 2, timeout: 60_000 });
  }

  const redis = openInspector(config);

  async function stop(): Promise<void> {
    await server.close();
    if (modApp) await (await modApp).server.close();
    await deps.close();
    const keys = await redis.keys(`${config.redisPrefix}*`);
    if (keys.length > 0) await redis.del(keys);
    await redis.quit();
    if (breaches.length > 0) throw breaches[0];
  }

  const pairKeys = createPairKeys(deps.keys);
  return {
    config,
    clock,
    log,
    statements,
    deps,
    pairKeys,
    features,
    server,
    live,
    startDraining,
    /** What the server draws at random can be repeated from here on. */
    setRandom(next: () => number) {
      random = next;
    },
    call,
    callMod,
    modServer,
    codeFor,
    redis,
    stop,
  };
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

/** One app for all tests of a file: started before the first, closed after the last. */
export function useTestApp(overrides: Partial<Config> = {}): TestApp {
  let started: TestApp | undefined;
  beforeAll(async () => {
    started = await startTestApp(overrides);
  });
  afterAll(() => started?.close());
  return proxyFor(() => started);
}

/** Connections to an app's database as its owner, closed after the last test of the file. */
export function usePool(app: TestApp, max = 2): pg.Pool {
  let opened: pg.Pool | undefined;
  afterAll(() => opened?.end());
  return proxyFor(() => (opened ??= openPool(app.config.databaseUrl, max)));
}

/** A proxy for an object that is created only when the tests start. */
function proxyFor<T extends object>(find: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const found = find();
      if (!found) throw new Error('used before the tests began');
      const value: unknown = Reflect.get(found, name);
      return typeof value === 'function' ? (value.bind(found) as unknown) : value;
    },
  });
}

/** For tests that need an app of their own: closed when the test ends. */
export async function ownTestApp(overrides: Partial<Config> = {}): Promise<TestApp> {
  const app = await startTestApp(overrides);
  onTestFinished(app.close);
  return app;
}

/** A browser without cookies, at an address of its own. */
export function newActor(): Actor {
  addresses += 1;
  return { cookies: new Map(), address: `198.51.${(addresses >> 8) & 255}.${addresses & 255}` };
}
