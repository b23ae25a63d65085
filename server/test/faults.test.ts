import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ErrorBody } from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createTestDatabase, databaseUrl, dropDatabase } from './db.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { freePort } from './free-port.ts';
import { makePhone } from './make.ts';

/** The real process, behind proxies that fail on command. */

const outbox = join(tmpdir(), `outbox-${randomBytes(4).toString('hex')}.jsonl`);
let database: string;
let postgres: FaultProxy;
let redis: FaultProxy;
let origin: string;
let metricsOrigin: string;
let child: ChildProcess;
let ownRedis: ChildProcess;
let ownRedisPort: number;
let output = '';

async function startServer(): Promise<void> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const url = new URL(databaseUrl(database));
  url.hostname = '127.0.0.1';
  url.port = String(postgres.port);
  url.search = '';
  child = spawn(process.execPath, [fileURLToPath(new URL('../src/bin/api.ts', import.meta.url))], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      DATABASE_URL: url.href,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      REDIS_PREFIX: `faults-${randomBytes(4).toString('hex')}:`,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      PHONE_INDEX_COST: '4',
      SMS_OUTBOX_FILE: outbox,
      DRAIN_MS: '300',
    },
  });
  child.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (output += bytes.toString()));
  origin = `http://127.0.0.1:${port}`;
  metricsOrigin = `http://127.0.0.1:${metricsPort}`;
  await vi.waitUntil(async () => (await status('/readyz')) === 200, { timeout: 15_000, interval: 50 });
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

async function signInForReal(): Promise<string> {
  const phone = makePhone();
  expect((await post('/api/auth/request-otp', { phone })).status).toBe(200);
  await expect.poll(() => codeOf(phone)).toBeDefined();
  const answer = await post('/api/auth/verify-otp', { phone, otp: await codeOf(phone) });
  return ((await answer.json()) as { token: string }).token;
}

const inRedis = (...words: string[]) =>
  execFileSync('redis-cli', ['-p', String(ownRedisPort), ...words], { encoding: 'utf8' });

/** As full as a Redis gets that must not evict: everything that would need room is refused. */
async function fillRedis(): Promise<void> {
  inRedis('config', 'set', 'maxmemory', '1');
}

async function emptyRedis(): Promise<void> {
  inRedis('config', 'set', 'maxmemory', '0');
}

/** Of its own, because it is filled and flushed. */
async function startRedis(): Promise<void> {
  ownRedisPort = await freePort();
  ownRedis = spawn('redis-server', [
    ...['--port', String(ownRedisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
  ]);
  await vi.waitUntil(
    () =>
      spawnSync('redis-cli', ['-p', String(ownRedisPort), 'ping'])
        .stdout.toString()
        .trim() === 'PONG',
    { timeout: 5000 },
  );
}

/** Debian's own PostgreSQL lets its users in by socket only. */
function postgresAddress(url: URL): NetConnectOpts {
  const port = Number(url.port || 5432);
  const folder = url.searchParams.get('host');
  return folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
}

beforeAll(async () => {
  const config = readConfig({ ...process.env, NODE_ENV: 'test' });
  database = await createTestDatabase();
  postgres = await startFaultProxy(postgresAddress(new URL(config.databaseUrl)));
  await startRedis();
  redis = await startFaultProxy({ host: '127.0.0.1', port: ownRedisPort });
  await startServer();
});

afterAll(async () => {
  child.kill('SIGKILL');
  await Promise.all([postgres.close(), redis.close()]);
  ownRedis.kill('SIGKILL');
  await dropDatabase(database);
});

describe('Redis', () => {
  for (const [name, fail] of [
    ['refused', () => redis.refuse()],
    ['black-holed', () => Promise.resolve(redis.blackHole())],
    ['slow by 5 s', () => Promise.resolve(redis.delayAnswers(5000))],
    ['reset in mid-reply', () => Promise.resolve(redis.resetInMidReply())],
    ['full', () => fillRedis()],
  ] as const) {
    test(`${name}: the code calls answer 503 in the error shape, signed-in reads go on, and it comes back`, async () => {
      const token = await signInForReal();
      const headers = { authorization: `Bearer ${token}` };
      expect(await status('/api/auth/user', { headers })).toBe(200);
      const sentBefore = await countSent();
      await fail();
      // A full one still counts tries, in a script that makes room first; it takes no new code.
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
      const times: number[] = [];
      for (let read = 0; read < 200; read += 1) {
        const begun = performance.now();
        expect(await status('/api/auth/user', { headers })).toBe(200);
        times.push(performance.now() - begun);
      }
      // The first few wait out the command timeout until the breaker opens.
      const sorted = times.toSorted((a, b) => a - b);
      expect(sorted[100]).toBeLessThan(100);
      expect(sorted[198]).toBeLessThan(500);
      // People can still speak, within budgets that this process keeps by itself.
      const vent = { title: `While ${name}`, text: 'Words', emotion: 'Sad' };
      const said = await fetch(`${origin}/api/vent/create`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(vent),
      });
      expect(said.status).toBe(201);
      // Nothing that costs money has left meanwhile: no limit was bypassed.
      expect(await countSent()).toBe(sentBefore);
      // A full one answers what it is asked; only what must be written fails.
      if (name !== 'full') expect(await status('/readyz')).toBe(503);
      await redis.restore();
      await emptyRedis();
      await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(200);
      expect(await signInForReal()).toMatch(/^uns_/u);
    });
  }

  test('flushed: live codes end, everybody stays signed in, and who was signed out stays out', async () => {
    const [token, ended] = [await signInForReal(), await signInForReal()];
    const headers = { authorization: `Bearer ${token}` };
    const endedHeaders = { authorization: `Bearer ${ended}` };
    expect(await status('/api/auth/logout', { method: 'POST', headers: endedHeaders })).toBe(200);
    const phone = makePhone();
    expect((await post('/api/auth/request-otp', { phone })).status).toBe(200);
    await expect.poll(() => codeOf(phone)).toBeDefined();
    execFileSync('redis-cli', ['-p', String(ownRedisPort), 'flushall']);
    const answer = await post('/api/auth/verify-otp', { phone, otp: await codeOf(phone) });
    expect(answer.status).toBe(401);
    expect(await status('/api/auth/user', { headers })).toBe(200);
    expect(await status('/api/auth/user', { headers: endedHeaders })).toBe(401);
  });

  test('a session revoked while Redis is away stays revoked when Redis returns with its memory', async () => {
    const token = await signInForReal();
    const headers = { authorization: `Bearer ${token}` };
    expect(await status('/api/auth/user', { headers })).toBe(200);
    expect(await status('/api/auth/user', { headers })).toBe(200);
    await redis.refuse();
    expect(await status('/api/auth/logout', { method: 'POST', headers })).toBe(200);
    expect(await status('/api/auth/user', { headers })).toBe(401);
    await redis.restore();
    await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await status('/api/auth/user', { headers })).toBe(401);
  });
});

test('signed out under 50 requests a second, with Redis killed in between: no answer later than 1 s', async () => {
  const token = await signInForReal();
  const headers = { authorization: `Bearer ${token}` };
  const good: number[] = [];
  const asked: Promise<void>[] = [];
  const timer = setInterval(() => {
    const one = fetch(`${origin}/api/auth/user`, { headers }).then(async (answer) => {
      await answer.text();
      if (answer.status === 200) good.push(performance.now());
      else expect(answer.status).toBe(401);
    });
    asked.push(one);
  }, 20);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(1000);
  await redis.refuse();
  await pause(500);
  expect(await status('/api/auth/logout', { method: 'POST', headers })).toBe(200);
  const endedAt = performance.now();
  await pause(1500);
  await redis.restore();
  await pause(2500);
  clearInterval(timer);
  await Promise.all(asked);
  expect(good.length).toBeGreaterThan(25);
  expect(good.filter((at) => at > endedAt + 1000)).toEqual([]);
  await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(200);
});

test('Postgres stopped: /readyz 503, calls 503 in the error shape, no crash, recovery without a restart', async () => {
  const token = await signInForReal();
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
  await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(200);
  await expect.poll(() => status('/api/auth/user', { headers }), { timeout: 10_000 }).toBe(200);
  expect(child.exitCode).toBeNull();
});

for (const [name, fail] of [
  ['black-holed', () => postgres.blackHole()],
  ['reset in mid-reply', () => postgres.resetInMidReply()],
] as const) {
  test(`Postgres ${name} under writes: no crash, and no connection is kept that will never answer`, async () => {
    const token = await signInForReal();
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
    // Every connection of the pool was in use when it fell silent: all of them must be new ones now.
    await expect.poll(() => write(99), { timeout: 5000 }).toBe(201);
    expect(await Promise.all(Array.from({ length: 20 }, (_, n) => write(n + 100)))).toEqual(
      Array.from({ length: 20 }, () => 201),
    );
    expect(child.exitCode).toBeNull();
  });
}

test('metrics are on a port of their own', async () => {
  const text = await (await fetch(`${metricsOrigin}/metrics`)).text();
  expect(text).toContain('unsaid_http_request_seconds_bucket');
  expect(text).toContain('route="/api/auth/user"');
  expect(text).not.toMatch(/\+91|uns_/u);
  expect(await status('/metrics', { headers: { accept: 'application/json' } })).not.toBe(0);
});

test('SIGTERM under load drops no request that was accepted', async () => {
  const token = await signInForReal();
  const headers = { authorization: `Bearer ${token}` };
  let answered = 0;
  let toldToLeave = 0;
  const failures: string[] = [];
  const load = { isDone: false };
  const worker = async () => {
    while (!load.isDone) {
      try {
        const answer = await fetch(`${origin}/api/auth/user`, { headers });
        await answer.text();
        if (answer.status === 200) answered += 1;
        else failures.push(String(answer.status));
        // Told to go elsewhere, as a load balancer is by /readyz: it sends nothing more here.
        if (answer.headers.get('connection') === 'close') {
          toldToLeave += 1;
          return;
        }
      } catch (error) {
        failures.push((error as { cause?: { code?: string } }).cause?.code ?? String(error));
      }
    }
  };
  const workers = Array.from({ length: 12 }, worker);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const code = await Promise.race([
    ended,
    // Long enough for a machine that does much else: that it ends is the question, not how soon.
    new Promise<string>((resolve) => setTimeout(resolve, 60_000, 'still running')),
  ]);
  load.isDone = true;
  await Promise.all(workers);
  expect(code).toBe(0);
  expect(answered).toBeGreaterThan(50);
  expect(failures).toEqual([]);
  expect(toldToLeave).toBe(workers.length);
  expect(output).toContain('"event":"stopped"');
}, 90_000);
