import { randomUUID } from 'node:crypto';
import { budgets } from '@unsaid/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { codeBudgets } from '../src/identity/otp/code-budgets.ts';
import { challengeMask, createOtpStore } from '../src/identity/otp/otp.store.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createLocalCache } from '../src/platform/local-cache.ts';
import { createCodeLimiter } from '../src/identity/otp/code-limiter.ts';
import { createLimiter } from '../src/platform/limiter.ts';
import { openRedis } from '../src/platform/redis.ts';
import { useTestApp } from './app.ts';
import { freePort } from '../../testkit/free-port.ts';

/** The wall clock of one machine is changed, while Redis keeps its own time. */

const hourMs = 3_600_000;
const app = useTestApp();

afterEach(() => {
  vi.useRealTimers();
});

/** Changes the wall clock only, as an administrator or NTP does: running timers are not affected. */
function setClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

for (const [name, byMs] of [
  ['forward', hourMs],
  ['back', -hourMs],
] as const) {
  test(`a clock set ${name} by an hour grants no extra code and locks no one out`, async () => {
    const { redis, metrics, redisCrypto } = app.deps;
    const limiter = createCodeLimiter(
      createLimiter({ redis, metrics, redisCrypto, clock: systemClock, scale: 1 }),
    );
    const [subject, other] = [randomUUID(), randomUUID()];
    const [{ limit }] = codeBudgets.sendsPerNumber;
    const consume = async (whose: string) =>
      (await limiter.consume([{ budget: 'sendsPerNumber', subject: whose }])).rejection;
    for (let n = 0; n < limit; n += 1) expect(await consume(subject)).toBeNull();
    for (let n = 1; n < limit; n += 1) expect(await consume(other)).toBeNull();
    setClock(byMs);
    expect(await consume(subject)).not.toBeNull();
    expect(await consume(other)).toBeNull();
    expect(await consume(other)).not.toBeNull();
  });

  test(`a clock set ${name} by an hour neither expires a live code nor extends its life`, async () => {
    const store = createOtpStore({ ...app.deps, clock: systemClock });
    const scope = { purpose: 'signin', phoneKey: randomUUID() } as const;
    const challenge = { id: 'one', hash: Buffer.alloc(32) };
    await store.put(scope, challenge);
    setClock(byMs);
    expect(await store.consumeAttempt(scope, 'one')).toMatchObject({ id: 'one' });
    await store.put({ ...scope, phoneKey: `${scope.phoneKey} after` }, challenge);
    const kept = await app.redis.get(`${app.config.redisPrefix}otp:1:signin:${scope.phoneKey} after`);
    const [seconds] = await app.redis.time();
    const [{ e: masked }] = JSON.parse(kept ?? '') as [{ e: number }];
    const endsAt = masked - challengeMask(app.deps.redisCrypto, `${scope.phoneKey} after`);
    expect(endsAt / 1000 - Number(seconds)).toBeGreaterThan(298);
    expect(endsAt / 1000 - Number(seconds)).toBeLessThan(302);
  });
}

test('a local cache does not outlive its TTL when the clock is set back', async () => {
  const cache = await createLocalCache<number>(app.deps, { name: 'clock test', channel: randomUUID() });
  let loads = 0;
  const load = () => cache.getOrLoad('key', () => Promise.resolve((loads += 1)));
  expect([await load(), await load()]).toEqual([1, 1]);
  app.clock.advance(-hourMs);
  expect([await load(), await load()]).toEqual([2, 2]);
  app.clock.reset();
});

test('a clock set back while Redis is down locks no one out', async () => {
  const { logger, metrics, redisCrypto } = app.deps;
  const url = `redis://127.0.0.1:${await freePort()}`;
  const redis = await openRedis({ url, isCluster: false, prefix: '', timeoutMs: 100, logger, metrics });
  const limiter = createLimiter({ redis, metrics, redisCrypto, clock: app.clock, scale: 1 });
  const consume = () => limiter.consumeBuckets([{ budget: 'searches', subject: 'a person' }]);
  const half = budgets.searches[0].limit / 2;
  for (let n = 0; n < half; n += 1) expect(await consume()).toBeNull();
  expect(await consume()).not.toBeNull();
  app.clock.advance(-hourMs);
  expect(await consume()).toBeNull();
  app.clock.reset();
  await redis.close();
});
