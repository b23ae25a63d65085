import { randomUUID } from 'node:crypto';
import { budgets, codeBudgets } from '@unsaid/contract';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createOtpStore } from '../src/auth/otp.store.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createCopies } from '../src/platform/copies.ts';
import { createLimiter } from '../src/platform/limiter.ts';
import { openRedis } from '../src/platform/redis.ts';
import { startTestApp, type TestApp } from './app.ts';
import { freePort } from './free-port.ts';

/** Somebody sets the clock of one machine, while Redis keeps its own. */

const hourMs = 3_600_000;
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => app.close());

/** The wall clock alone, as when a machine's is set: what waits goes on waiting as it did. */
function setClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

for (const [name, byMs] of [
  ['forward', hourMs],
  ['back', -hourMs],
] as const) {
  test(`set ${name} by an hour, it gives nobody another code, and locks nobody out`, async () => {
    const { redis, metrics, opaque } = app.deps;
    const limiter = createLimiter({ redis, metrics, opaque, clock: systemClock, scale: 1 });
    const [subject, other] = [randomUUID(), randomUUID()];
    const [{ limit }] = codeBudgets.sendsPerNumber;
    const take = async (whose: string) =>
      (await limiter.takeFromWindows([{ budget: 'sendsPerNumber', subject: whose }])).refusal;
    for (let n = 0; n < limit; n += 1) expect(await take(subject)).toBeNull();
    for (let n = 1; n < limit; n += 1) expect(await take(other)).toBeNull();
    setClock(byMs);
    expect(await take(subject)).not.toBeNull();
    expect(await take(other)).toBeNull();
    expect(await take(other)).not.toBeNull();
  });

  test(`set ${name} by an hour, it neither ends a live code nor lengthens its life`, async () => {
    const store = createOtpStore(app.deps.redis, systemClock);
    const scope = { purpose: 'signin', phoneKey: randomUUID() } as const;
    const challenge = { id: 'one', hash: Buffer.alloc(32) };
    await store.put(scope, challenge);
    setClock(byMs);
    expect(await store.takeTry(scope, 'one')).toMatchObject({ id: 'one' });
    await store.put({ ...scope, phoneKey: `${scope.phoneKey} after` }, challenge);
    const kept = await app.redis.get(`${app.config.redisPrefix}otp:1:signin:${scope.phoneKey} after`);
    const [seconds] = await app.redis.time();
    const [{ e: endsAt }] = JSON.parse(kept ?? '') as [{ e: number }];
    expect(endsAt / 1000 - Number(seconds)).toBeGreaterThan(298);
    expect(endsAt / 1000 - Number(seconds)).toBeLessThan(302);
  });
}

test('set back, it does not keep a copy for longer than a second', async () => {
  const copies = await createCopies<number>(app.deps, { of: 'clock test', channel: randomUUID() });
  let fetched = 0;
  const look = () => copies.get('key', () => Promise.resolve((fetched += 1)));
  expect([await look(), await look()]).toEqual([1, 1]);
  app.clock.advance(-hourMs);
  expect([await look(), await look()]).toEqual([2, 2]);
  app.clock.reset();
});

test('set back while Redis is away, it locks nobody out', async () => {
  const { logger, metrics, opaque, traces } = app.deps;
  const url = `redis://127.0.0.1:${await freePort()}`;
  const redis = await openRedis({ url, prefix: '', timeoutMs: 100, logger, metrics, traces });
  const limiter = createLimiter({ redis, metrics, opaque, clock: app.clock, scale: 1 });
  const take = () => limiter.takeFromBuckets([{ budget: 'searches', subject: 'somebody' }]);
  const half = budgets.searches[0].limit / 2;
  for (let n = 0; n < half; n += 1) expect(await take()).toBeNull();
  expect(await take()).not.toBeNull();
  app.clock.advance(-hourMs);
  expect(await take()).toBeNull();
  app.clock.reset();
  await redis.close();
});
