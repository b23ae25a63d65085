import { requestOtp, verifyOtp } from '@unsaid/contract';
import { beforeAll, afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTempRedis } from '../../testkit/temp-redis.ts';
import { startTempRedisCluster, type TempRedisCluster } from '../../testkit/temp-redis-cluster.ts';
import { codeBudgets } from '../src/identity/otp/code-budgets.ts';
import { createCodeLimiter } from '../src/identity/otp/code-limiter.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { openRedis, RedisUnavailable, type RedisOptions } from '../src/platform/redis.ts';
import { groupBySlotPart } from '../src/platform/slots.ts';
import { newActor, startBeside, startTestApp, type TestApp } from './app.ts';
import { makePhone, makeUser, runJob } from './factories.ts';
import { checkSlots } from './redis.ts';
import { fullTier, runs } from './runs.ts';

/** The server on a Redis Cluster. TEST_REDIS=cluster runs any other file on one. */

let cluster: TempRedisCluster;
let app: TestApp;
beforeAll(async () => {
  cluster = await startTempRedisCluster();
  app = await startTestApp({ limitsScale: 1, redisUrl: cluster.url, isRedisCluster: true });
});
afterAll(async () => {
  await app.close();
  await cluster.remove();
});

const open = (url: string, isCluster: boolean, more: Partial<RedisOptions> = {}) =>
  openRedis({
    url,
    isCluster,
    prefix: '',
    timeoutMs: 2000,
    logger: createLogger('silent'),
    metrics: createMetrics(),
    ...more,
  });

test('people sign in, and the keys lie on all masters', async () => {
  // The slots of one person's keys are few and random.
  for (let n = 0; n < 12; n += 1) await makeUser(app);
  await runJob(app, 'write-visits');
  const masters = cluster.nodes.filter((_, n) => n < 3);
  expect(masters.map(({ port }) => cluster.command('-p', String(port), 'dbsize'))).not.toContain('0');
});

test('a number gets five codes in an hour from two processes at once, and a full limit consumes nothing else', async () => {
  const second = await startBeside(app);
  onTestFinished(second.close);
  const phone = makePhone();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      (n % 2 ? second : app).call(requestOtp, { as: newActor(), body: { phone } }),
    ),
  );
  const sent = answers.filter(({ status }) => status === 200).length;
  expect(answers.filter(({ status }) => ![200, 428, 429].includes(status))).toEqual([]);
  // 428: over a soft limit, proof of work. Calls that meet may give back more than they had to: too strict for a moment, never too loose.
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(5);
  const later = [];
  for (let n = sent; n < 8; n += 1)
    later.push((await app.call(requestOtp, { as: newActor(), body: { phone } })).status);
  expect(later.filter((status) => status === 200)).toHaveLength(5 - sent);
  const limiter = createCodeLimiter(app.deps.limiter);
  const share = await limiter.usageRatio({ budget: 'sendsByService', subject: 'all' });
  const codes = app.deps.outbox.recent().length + second.deps.outbox.recent().length;
  expect(Math.round(share * codeBudgets.sendsByService[1].limit)).toBeLessThanOrEqual(codes + 1);
});

test('tokens of a rejected call are given back on the other slots', async () => {
  const request = (subject: string) =>
    app.deps.limiter.consumeBuckets([
      { budget: 'vents', subject: 'the exhausted one' },
      { budget: 'reactions', subject },
    ]);
  let passed = 0;
  while (!(await request('other'))) passed += 1;
  for (let n = 0; n < 300; n += 1) expect(await request('other')).not.toBeNull();
  const left = async () => {
    let taken = 0;
    while (!(await app.deps.limiter.consumeBuckets([{ budget: 'reactions', subject: 'other' }]))) taken += 1;
    return taken;
  };
  // The last replies to `give back` may still be on their way.
  await new Promise((resolve) => void setImmediate(resolve));
  expect(await left()).toBeGreaterThanOrEqual(120 - passed - 1);
});

test('a message reaches every process, whichever node it is connected to', async () => {
  const second = await startBeside(app);
  onTestFinished(second.close);
  const heard = Promise.withResolvers<string>();
  await second.deps.redis.onMessage('news', heard.resolve);
  await expect
    .poll(async () => {
      await app.deps.redis.publish('news', 'told');
      return Promise.race([heard.promise, Promise.resolve(null)]);
    })
    .toBe('told');
});

describe('the process does not start, and says in one line why, if', () => {
  test('a single client is given a node of a cluster', async () => {
    const store = await open(cluster.url.split(',')[0] ?? '', false);
    onTestFinished(() => store.close());
    expect(await store.wrongKind()).toMatch(/node of a cluster: set REDIS_CLUSTER=true/u);
    // Neither is an outage to fall back from.
    const run = store.script(`return redis.call('MGET', KEYS[1], KEYS[2])`);
    await expect(run(['a', 'b'], [])).rejects.not.toBeInstanceOf(RedisUnavailable);
  });

  test('a client of a cluster is given a single server', async () => {
    const single = await startTempRedis();
    const store = await open(single.url, true);
    onTestFinished(async () => {
      await store.close();
      await single.remove();
    });
    expect(await store.wrongKind()).toMatch(/single server: unset REDIS_CLUSTER/u);
  });

  test('a cluster has slots without a node', async () => {
    const store = await open(cluster.url, true);
    onTestFinished(() => store.close());
    expect(await store.wrongKind()).toBeNull();
    const [last] = cluster.nodes.slice(2);
    cluster.command('-p', String(last?.port), 'cluster', 'delslots', '16383');
    const other = await open(`redis://127.0.0.1:${last?.port}`, true);
    onTestFinished(() => other.close());
    expect(await other.wrongKind()).toMatch(/CLUSTERDOWN/u);
    cluster.command('-p', String(last?.port), 'cluster', 'addslots', '16383');
  });
});

test('keys of two slots are found in any command, also on a single Redis', async () => {
  expect(() => checkSlots('evalsha', ['x:{a7}one', 'x:{a7}two'])).not.toThrow();
  expect(() => checkSlots('mget', ['x:one'])).not.toThrow();
  expect(() => checkSlots('evalsha', ['x:{a7}one', 'x:{a8}one'])).toThrow(/2 slots/u);
  expect(() => checkSlots('mget', ['x:one', 'x:two'])).toThrow(/2 slots/u);
  expect(groupBySlotPart(['{a}1', 'b', '{a}2', '{}c'], (key) => key)).toEqual([
    ['{a}1', '{a}2'],
    ['b'],
    ['{}c'],
  ]);
  const single = await startTempRedis();
  const store = await open(single.url, false, { isSplit: true, onCommand: checkSlots });
  onTestFinished(async () => {
    await store.close();
    await single.remove();
  });
  await expect(store.script(`return 1`)(['one', 'two'], [])).rejects.toThrow(/2 slots/u);
  await expect(store.run((client) => client.mget('one', 'two'))).rejects.toThrow(/2 slots/u);
  expect(await Promise.all([store.getCached('one'), store.getCached('two')])).toEqual([null, null]);
});

test(
  'a master is killed under load: no number gets a sixth code and no code a sixth guess, and the rest goes on',
  fullTier('a limit that a failover resets costs messages and guesses for a day'),
  async () => {
    const own = await startTestApp({
      limitsScale: 1,
      redisUrl: cluster.url,
      isRedisCluster: true,
      redisTimeoutMs: 200,
    });
    onTestFinished(own.close);
    const limiter = createCodeLimiter(own.deps.limiter);
    const subjects = Array.from({ length: 300 }, (_, n) => `number ${n}`);
    const passed = new Map<string, number>();
    const outcomes = { passed: 0, rejected: 0, unavailable: 0, late: 0 };
    const attempt = async (subject: string) => {
      try {
        const { rejection } = await limiter.consume([{ budget: 'sendsPerNumber', subject }]);
        if (rejection) outcomes.rejected += 1;
        else passed.set(subject, (passed.get(subject) ?? 0) + 1);
        outcomes[rejection ? 'rejected' : 'passed'] += rejection ? 0 : 1;
      } catch (error) {
        expect(error).toBeInstanceOf(RedisUnavailable);
        outcomes.unavailable += 1;
      }
    };
    const calls = runs('CLUSTER_CALLS', { change: 2000, full: 20_000 });
    const victim = cluster.masterOf(0);
    let sent = 0;
    const clients = Array.from({ length: 40 }, async () => {
      while (sent < calls || cluster.command('cluster', 'info').includes('state:fail')) {
        sent += 1;
        if (sent === Math.floor(calls / 4)) await victim.killHard();
        await attempt(subjects[sent % subjects.length] ?? '');
      }
    });
    await Promise.all(clients);
    expect(outcomes.unavailable).toBeGreaterThan(0);
    expect(Math.max(...passed.values())).toBeLessThanOrEqual(5);
    // Failed over: every number can be counted again, and none gets more than its limit.
    await expect.poll(() => own.deps.redis.ping()).toBe(true);
    await expect.poll(() => cluster.masterOf(0).port).not.toBe(victim.port);
    await expect
      .poll(async () => {
        const before = outcomes.unavailable;
        for (const subject of subjects) await attempt(subject);
        return outcomes.unavailable - before;
      })
      .toBe(0);
    for (let round = 0; round < 6; round += 1) for (const subject of subjects) await attempt(subject);
    expect(Math.max(...passed.values())).toBeLessThanOrEqual(5);
    const phone = makePhone();
    expect((await own.call(requestOtp, { as: newActor(), body: { phone } })).status).toBe(200);
    const otp = await own.codeFor(phone);
    expect((await own.call(verifyOtp, { as: newActor(), body: { phone, otp } })).status).toBe(200);
    victim.start();
  },
);

test(
  'a use that no replica has is not counted as kept: codes fail closed',
  fullTier('a failover would forget codes and guesses, which the SMS ceiling bounds for a day'),
  async () => {
    // A long timeout: the cluster must not find out that its replicas are frozen.
    const own = await startTempRedisCluster({ nodeTimeoutMs: 60_000 });
    onTestFinished(own.remove);
    const store = await open(own.url, true);
    onTestFinished(() => store.close());
    const keep = store.script(`return redis.call('INCR', KEYS[1])`, { isKept: true });
    const count = store.script(`return redis.call('INCR', KEYS[1])`);
    // Until the client has heard of the replicas, it cannot wait for them.
    await expect
      .poll(async () => {
        for (const node of own.nodes.slice(3)) node.signal('SIGSTOP');
        const outcome = await keep(['key'], []).catch((error: unknown) => error);
        for (const node of own.nodes.slice(3)) node.signal('SIGCONT');
        return outcome instanceof RedisUnavailable;
      })
      .toBe(true);
    expect(await count(['key'], [])).toBeGreaterThan(0);
    await expect.poll(() => keep(['key'], []).catch(() => 0)).toBeGreaterThan(0);
  },
);
