/**
 * @module-tag full
 * A day later: a slower recovery from an outage is found in the morning. limits, last-seen, moderators and sessions
 * cut Redis off on every change.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorBody } from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer as startServerProcess, type ServerProcess } from '../../testkit/server-process.ts';
import { startTempRedis, type TempRedis } from '../../testkit/temp-redis.ts';
import { readConfig } from '../src/config.ts';
import { createTestDatabase, databaseUrl, dropDatabase } from './db.ts';
import { postgresAddress, startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { makePhone } from './factories.ts';

/** Runs the real server process behind proxies that fail on command. */

const outbox = join(tmpdir(), `outbox-${randomBytes(4).toString('hex')}.jsonl`);
let database: string;
let postgres: FaultProxy;
let redis: FaultProxy;
let origin: string;
let metricsOrigin: string;
let server: ServerProcess;
let tempRedis: TempRedis;

async function startServer(): Promise<void> {
  const url = new URL(databaseUrl(database));
  url.hostname = '127.0.0.1';
  url.port = String(postgres.port);
  url.search = '';
  server = await startServerProcess({
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: url.href,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      REDIS_PREFIX: `faults-${randomBytes(4).toString('hex')}:`,
      PHONE_INDEX_COST: '4',
      SMS_OUTBOX_FILE: outbox,
      DRAIN_MS: '5000',
    },
  });
  ({ origin } = server);
  metricsOrigin = `http://127.0.0.1:${server.metricsPort}`;
}

async function status(path: string, init?: RequestInit): Promise<number> {
  try {
    return (await fetch(`${origin}${path}`, init)).status;
  } catch {
    return 0;
  }
}

const post = (path: string, body: object) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function readOutbox(): Promise<{ to: string; code: string }[]> {
  const lines = (await readFile(outbox, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as { to: string; code: string });
}

const countSent = async () => (await readOutbox()).length;
const codeOf = async (phone: string) => (await readOutbox()).find(({ to }) => to === phone)?.code;

async function trySignIn(): Promise<string | undefined> {
  const phone = makePhone();
  const asked = await post('/api/auth/request-otp', { phone });
  if (asked.status === 503) return undefined;
  expect(asked.status).toBe(200);
  await expect.poll(() => codeOf(phone)).toBeDefined();
  const answer = await post('/api/auth/verify-otp', { phone, otp: await codeOf(phone) });
  if (answer.status === 503) return undefined;
  return ((await answer.json()) as { token: string }).token;
}

/** Retries where a busy machine makes Redis time out. */
async function signInWithRetry(): Promise<string> {
  return (await trySignIn()) ?? signInWithRetry();
}

async function countRedisFailures(): Promise<number> {
  const text = await (await fetch(`${metricsOrigin}/metrics`)).text();
  return Number(/^unsaid_redis_unavailable_total (\d+)$/mu.exec(text)?.[1]);
}

const readCachedSession = () => {
  const [key = ''] = tempRedis.command('keys', '*sess:*').trim().split('\n');
  return key && tempRedis.command('get', key);
};

/** Signs in a person whose session is the only one in Redis. */
async function signInCached(): Promise<{ headers: Record<string, string>; cached: string }> {
  tempRedis.command('flushall');
  const headers = { authorization: `Bearer ${await signInWithRetry()}` };
  expect(await status('/api/auth/user', { headers })).toBe(200);
  await expect.poll(readCachedSession).not.toBe('');
  return { headers, cached: readCachedSession() };
}

/** Makes Redis reject every write, like a full Redis without eviction. */
async function fillRedis(): Promise<void> {
  tempRedis.command('config', 'set', 'maxmemory', '1');
}

async function emptyRedis(): Promise<void> {
  tempRedis.command('config', 'set', 'maxmemory', '0');
}

beforeAll(async () => {
  const config = readConfig({ ...process.env, NODE_ENV: 'test' });
  database = await createTestDatabase();
  postgres = await startFaultProxy(postgresAddress(new URL(config.databaseUrl)));
  tempRedis = await startTempRedis();
  redis = await startFaultProxy({ host: '127.0.0.1', port: tempRedis.port });
  await startServer();
});

afterAll(async () => {
  await server.stop('SIGKILL');
  await Promise.all([postgres.close(), redis.close()]);
  await tempRedis.remove();
  await dropDatabase(database);
});

describe('with Redis', () => {
  for (const [name, fail] of [
    ['refused', () => redis.refuse()],
    ['black-holed', () => Promise.resolve(redis.blackHole())],
    ['slow by 5 s', () => Promise.resolve(redis.delayAnswers(5000))],
    ['reset in mid-reply', () => Promise.resolve(redis.resetInMidReply())],
    ['full', () => fillRedis()],
  ] as const) {
    test(`${name}, code calls return 503 in the error shape, signed-in reads go on, and the service recovers (R53)`, async () => {
      const token = await signInWithRetry();
      const headers = { authorization: `Bearer ${token}` };
      expect(await status('/api/auth/user', { headers })).toBe(200);
      const sentBefore = await countSent();
      await fail();
      // A full Redis still counts attempts, in a script that first frees memory; it stores no new code.
      const calls = [
        ['/api/auth/request-otp', { phone: makePhone() }],
        ...(name === 'full'
          ? []
          : [['/api/auth/verify-otp', { phone: makePhone(), otp: '123456' }] as const]),
      ] as const;
      for (const [path, body] of calls) {
        const answer = await post(path, body);
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('30');
        const shape = (await answer.json()) as ErrorBody;
        expect(Object.keys(shape)).toEqual(['success', 'message', 'code', 'requestId']);
        expect(shape.code).toBe('TEMPORARILY_UNAVAILABLE');
      }
      const failuresBefore = await countRedisFailures();
      const reads = 100;
      for (let read = 0; read < reads; read += 1)
        expect(await status('/api/auth/user', { headers })).toBe(200);
      // The first few wait for the command timeout. Then the circuit breaker opens, and reads no longer use Redis.
      expect((await countRedisFailures()) - failuresBefore).toBeLessThan(reads);
      // People can still post, within budgets in the memory of this process.
      const vent = { title: `While ${name}`, text: 'Words', emotion: 'Sad' };
      const said = await fetch(`${origin}/api/vent/create`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(vent),
      });
      expect(said.status).toBe(201);
      // No message was sent meanwhile: no limit was bypassed.
      expect(await countSent()).toBe(sentBefore);
      expect(await status('/readyz')).toBe(503);
      await redis.restore();
      await emptyRedis();
      await expect.poll(() => status('/readyz')).toBe(200);
      expect(await signInWithRetry()).toMatch(/^uns_/u);
    });
  }

  test('flushed, live codes end, everyone stays signed in, and revoked sessions stay revoked (R53)', async () => {
    const [token, ended] = [await signInWithRetry(), await signInWithRetry()];
    const headers = { authorization: `Bearer ${token}` };
    const endedHeaders = { authorization: `Bearer ${ended}` };
    expect(await status('/api/auth/logout', { method: 'POST', headers: endedHeaders })).toBe(200);
    const phone = makePhone();
    expect((await post('/api/auth/request-otp', { phone })).status).toBe(200);
    await expect.poll(() => codeOf(phone)).toBeDefined();
    tempRedis.command('flushall');
    const answer = await post('/api/auth/verify-otp', { phone, otp: await codeOf(phone) });
    expect(answer.status).toBe(401);
    expect(await status('/api/auth/user', { headers })).toBe(200);
    expect(await status('/api/auth/user', { headers: endedHeaders })).toBe(401);
  });

  test('down while a session is revoked, the session stays revoked when Redis returns with its data (R25)', async () => {
    const { headers, cached } = await signInCached();
    await redis.refuse();
    expect(await status('/api/auth/logout', { method: 'POST', headers })).toBe(200);
    expect(await status('/api/auth/user', { headers })).toBe(401);
    await redis.restore();
    // /readyz closes the circuit breaker: from here on, reads use Redis, which still holds the session.
    await expect.poll(() => status('/readyz'), { interval: 1 }).toBe(200);
    let reads = 0;
    while (readCachedSession() === cached || reads < 20) {
      expect(await status('/api/auth/user', { headers })).toBe(401);
      reads += 1;
    }
  });
});

test('after a sign-out under load, with Redis killed in between, no request that starts later gets a 200 (R25)', async () => {
  const { headers, cached } = await signInCached();
  const answers: { readonly begunAt: number; readonly status: number }[] = [];
  const load = { isDone: false };
  const workers = Array.from({ length: 4 }, async () => {
    while (!load.isDone) {
      const begunAt = performance.now();
      answers.push({ begunAt, status: await status('/api/auth/user', { headers }) });
    }
  });
  const countSince = (from: number) => answers.filter(({ begunAt }) => begunAt >= from).length;
  await expect.poll(() => countSince(0)).toBeGreaterThan(25);
  await redis.refuse();
  const refusedAt = performance.now();
  await expect.poll(() => countSince(refusedAt)).toBeGreaterThan(25);
  expect(await status('/api/auth/logout', { method: 'POST', headers })).toBe(200);
  const revokedAt = performance.now();
  await expect.poll(() => countSince(revokedAt)).toBeGreaterThan(25);
  // Redis returns with the session in its memory. A retry overwrites it.
  await redis.restore();
  await expect.poll(() => status('/readyz'), { interval: 1 }).toBe(200);
  await expect.poll(readCachedSession).not.toBe(cached);
  const overwrittenAt = performance.now();
  await expect.poll(() => countSince(overwrittenAt)).toBeGreaterThan(25);
  load.isDone = true;
  await Promise.all(workers);
  // 429 may occur: without Redis the budgets are halved.
  expect(answers.map((answer) => answer.status)).toEqual(expect.arrayContaining([200, 401]));
  expect(answers.filter((answer) => answer.status === 200 && answer.begunAt >= revokedAt)).toEqual([]);
});

test('with Postgres stopped, /readyz and calls return 503 in the error shape, the process survives, and it recovers without a restart', async () => {
  const token = await signInWithRetry();
  const headers = { authorization: `Bearer ${token}` };
  await postgres.refuse();
  expect(await status('/readyz')).toBe(503);
  expect(await status('/healthz')).toBe(200);
  for (let read = 0; read < 5; read += 1) {
    const answer = await fetch(`${origin}/api/auth/user`, { headers });
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as ErrorBody).code).toBe('TEMPORARILY_UNAVAILABLE');
  }
  await postgres.restore();
  await expect.poll(() => status('/readyz')).toBe(200);
  await expect.poll(() => status('/api/auth/user', { headers })).toBe(200);
  expect(server.child.exitCode).toBeNull();
});

for (const [name, fail] of [
  ['black-holed', () => postgres.blackHole()],
  ['reset in mid-reply', () => postgres.resetInMidReply()],
] as const) {
  test(`with Postgres ${name} during writes, the process survives and keeps no dead connection`, async () => {
    const token = await signInWithRetry();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const write = (n: number) =>
      fetch(`${origin}/api/vent/create`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ title: `${name} ${n}`, text: `Words ${n}`, emotion: 'Sad' }),
      }).then(({ status: got }) => got);
    expect(await write(0)).toBe(201);
    fail();
    const during = await Promise.all(Array.from({ length: 20 }, (_, n) => write(n + 1)));
    expect(new Set(during)).toEqual(new Set([503]));
    await postgres.restore();
    // Every connection of the pool was in use when it died. Twenty concurrent writes need new ones.
    let written = 100;
    await expect
      .poll(async () => new Set(await Promise.all(Array.from({ length: 20 }, () => write((written += 1))))))
      .toEqual(new Set([201]));
    expect(server.child.exitCode).toBeNull();
  });
}

test('metrics are served on a separate port', async () => {
  const text = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  expect(text).toContain('unsaid_http_request_duration_seconds_bucket');
  expect(text).toContain('route="/api/auth/user"');
  expect(text).not.toMatch(/\+91|\buns_/u);
  expect(await status('/metrics', { headers: { accept: 'application/json' } })).not.toBe(0);
});

test('SIGTERM under load drops no accepted request', async () => {
  const token = await signInWithRetry();
  const headers = { authorization: `Bearer ${token}` };
  let answered = 0;
  let closedByServer = 0;
  const failures: string[] = [];
  const load = { isDone: false };
  const worker = async () => {
    while (!load.isDone) {
      try {
        const answer = await fetch(`${origin}/api/auth/user`, { headers });
        await answer.text();
        if (answer.status === 200) answered += 1;
        else failures.push(String(answer.status));
        // The response asks the client to close, as /readyz tells a load balancer: it sends nothing more here.
        if (answer.headers.get('connection') === 'close') {
          closedByServer += 1;
          return;
        }
      } catch (error) {
        failures.push((error as { cause?: { code?: string } }).cause?.code ?? String(error));
      }
    }
  };
  const workers = Array.from({ length: 12 }, worker);
  await expect.poll(() => answered).toBeGreaterThan(50);
  const ended = new Promise<number | null>((resolve) => server.child.once('exit', resolve));
  server.child.kill('SIGTERM');
  const code = await ended;
  load.isDone = true;
  await Promise.all(workers);
  expect(code).toBe(0);
  expect(failures).toEqual([]);
  expect(closedByServer).toBe(workers.length);
  expect(server.output()).toContain('"event":"stopped"');
});
