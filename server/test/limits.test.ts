import net from 'node:net';
import {
  changeUsername,
  getSelf,
  getUser,
  listCountries,
  requestOtp,
  updateDetails,
  verifyOtp,
  type BudgetName,
} from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeBudgets, type CodeBudget, type CodeBudgetName } from '../src/identity/otp/code-budgets.ts';
import { addressBlock } from '../src/platform/http/address.ts';
import { createCodeLimiter } from '../src/identity/otp/code-limiter.ts';
import { retryAfterSeconds } from '../src/platform/limiter.ts';
import { newActor, ownTestApp, productionTimeouts, type Answer, type TestApp } from './app.ts';
import { makePhone, makeUser, signIn, type Person } from './factories.ts';
import { otherIdIn, suggestionWith } from './pairs.ts';
import { listen } from './socket.ts';
import { addressSubject } from './windows.ts';

const startStrictApp = (overrides = {}) => ownTestApp({ limitsScale: 1, ...overrides });

function expectRateLimited(answer: Answer<unknown>): void {
  expect(answer.status, answer.text).toBe(429);
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['success', 'message', 'code', 'requestId']);
  expect(answer.body.code).toBe('RATE_LIMITED');
  expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/u);
  // Neither the name of the budget nor what is left of it.
  expect(`${JSON.stringify(answer.headers)}${answer.text}`).not.toMatch(
    /callsPer|profileViews|profileEdits|username|bucket|budget|ratelimit|remaining|x-rate/iu,
  );
}

describe('limits of a person:', () => {
  test('a name can be changed 3 times a day, and keeping it costs nothing (R52)', async () => {
    const app = await startStrictApp();
    const me = await makeUser(app);
    const rename = (newUsername: string) => app.call(changeUsername, { as: me, body: { newUsername } });
    for (const name of ['one', 'two', 'three']) expect((await rename(name)).status).toBe(200);
    for (let again = 0; again < 5; again += 1) expect((await rename('three')).status).toBe(200);
    expect((await rename('not a name')).body.code).toBe('USERNAME_INVALID');
    expectRateLimited(await rename('four'));
    app.clock.advance(8 * 3_600_000 + 1000);
    expect((await rename('four')).status).toBe(200);
    expectRateLimited(await rename('five'));
  });

  test('a profile can be edited 20 times an hour (R52)', async () => {
    const app = await startStrictApp();
    const me = await makeUser(app);
    const edit = () => app.call(updateDetails, { as: me, body: { bio: 'x' } });
    for (let edits = 0; edits < 20; edits += 1) expect((await edit()).status).toBe(200);
    expectRateLimited(await edit());
    app.clock.advance(3_600_000);
    expect((await edit()).status).toBe(200);
  });

  test('60 profiles can be read in an hour (R52)', async () => {
    const app = await startStrictApp();
    const [me, other] = [await makeUser(app), await makeUser(app)];
    const id = otherIdIn(me, await suggestionWith(app, me, other));
    const readProfile = () => app.call(getUser, { as: me, params: { id } });
    for (let looks = 0; looks < 60; looks += 1) expect((await readProfile()).status).toBe(200);
    expectRateLimited(await readProfile());
    app.clock.advance(3_600_000);
    expect((await readProfile()).status).toBe(200);
  });

  test('a session can make 300 calls in 5 minutes, and another session of the same person is not affected (R52)', async () => {
    const app = await startStrictApp();
    const me = await makeUser(app);
    const call = (as = me) => app.call(getSelf, { as });
    for (let calls = 0; calls < 300; calls += 1) expect((await call()).status).toBe(200);
    expectRateLimited(await call());
    app.clock.advance(60_000);
    expect((await call(await signIn(app, me.phone))).status).toBe(200);
    app.clock.advance(5 * 60_000);
    expect((await call()).status).toBe(200);
  });

  test('a person can make 1,500 calls in 5 minutes over all their sessions (R52)', async () => {
    const app = await startStrictApp();
    const me = await makeUser(app);
    const viewer = await app.features.sessions.authenticate(me.token, { skipCache: true });
    const subject = viewer?.rateLimitKey('callsPerUser') ?? '';
    // Most of them directly on the bucket, in small batches: the Redis timeout is 200 ms.
    for (let lots = 0; lots < 65; lots += 1) {
      const lot = Array.from({ length: 23 }, () =>
        app.deps.limiter.consumeBuckets([{ budget: 'callsPerUser', subject }]),
      );
      expect(await Promise.all(lot)).toEqual(Array<null>(23).fill(null));
    }
    const tokens = await Promise.all(
      Array.from({ length: 5 }, () => app.features.sessions.open(me.userId, 'test')),
    );
    for (const token of tokens) expect((await app.call(getSelf, { as: { token } })).status).toBe(200);
    for (const token of [me.token, ...tokens]) expectRateLimited(await app.call(getSelf, { as: { token } }));
    app.clock.advance(10_000);
    expect((await app.call(getSelf, { as: me })).status).toBe(200);
  });

  test('120 reactions are allowed at once in 5 minutes, and then one every 2.5 seconds, with a resolution of 10 seconds', async () => {
    const { clock, deps } = await startStrictApp();
    const consume = () => deps.limiter.consumeBuckets([{ budget: 'reactions', subject: 'a person' }]);
    // Start in the middle of a tick.
    clock.advance(1234);
    const consumeAll = async () => {
      let taken = 0;
      while (!(await consume())) taken += 1;
      return taken;
    };
    expect(await consumeAll()).toBe(120);
    const refusal = await consume();
    clock.advance((refusal?.retryAfterMs ?? 0) - 1);
    expect(await consume()).not.toBeNull();
    clock.advance(1);
    expect(await consumeAll()).toBe(4);
    clock.advance(5 * 60_000);
    expect(await consumeAll()).toBe(120);
  });

  test('a bucket starts full again with the day, or with the month if it is monthly', async () => {
    const { clock, deps } = await startStrictApp();
    const consumeAll = async (budget: BudgetName) => {
      let taken = 0;
      while (!(await deps.limiter.consumeBuckets([{ budget, subject: 'a person' }]))) taken += 1;
      return taken;
    };
    clock.advance(11.9 * 3_600_000);
    expect([await consumeAll('profileViews'), await consumeAll('username')]).toEqual([60, 3]);
    clock.advance(0.2 * 3_600_000);
    expect([await consumeAll('profileViews'), await consumeAll('username')]).toEqual([60, 3]);
    clock.advance(24 * 3_600_000);
    expect([await consumeAll('username'), await consumeAll('username')]).toEqual([3, 0]);
    clock.advance(24 * 3_600_000);
    // Ten in thirty days, whatever the daily limit allows.
    expect(await consumeAll('username')).toBe(1);
  });

  test('a bucket stores times to 10 seconds, even for an attacker with the key', async () => {
    const app = await startStrictApp();
    app.clock.advance(1234);
    await app.deps.limiter.consumeBuckets([{ budget: 'vents', subject: 'a person' }]);
    const kind = `vents:600:${Math.floor(app.clock.now() / 86_400_000)}`;
    const { name, mask } = app.deps.redisCrypto.counter(kind, 'a person');
    const stored = await app.redis.get(`${app.config.redisPrefix}bucket:vents:600:${name}`);
    expect(Number(stored) - mask - 60_000).toBe(Math.ceil(app.clock.now() / 10_000) * 10_000);
  });

  test('limits depend on the caller alone: a call counts and responds the same, whether the target exists or not (SC-25)', async () => {
    const app = await startStrictApp();
    const [caller, rival, target] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const peerOf = async (me: Person, other: Person) => otherIdIn(me, await suggestionWith(app, me, other));
    const targetId = await peerOf(caller, target);
    const ids = [targetId, target.user._id, 'A'.repeat(22), app.deps.publicIds.peer.encode(999_999n), 'x'];
    for (let looks = 0; looks < 60; looks += 1) {
      const answer = await app.call(getUser, { as: caller, params: { id: ids[looks % ids.length] ?? '' } });
      expect([200, 404]).toContain(answer.status);
    }
    const refusals = await Promise.all(ids.map((id) => app.call(getUser, { as: caller, params: { id } })));
    const seen = refusals.map(({ text, headers }) => ({
      text: text.replace(/"requestId":"[^"]+"/u, ''),
      wait: headers['retry-after'],
      names: Object.keys(headers).toSorted(),
    }));
    for (const refusal of refusals) expectRateLimited(refusal);
    for (const one of seen) expect(one).toEqual(seen[0]);
    // The profile that was read 12 times has used nothing, and others may still read it.
    const rivalsId = await peerOf(rival, target);
    expect((await app.call(getUser, { as: rival, params: { id: rivalsId } })).status).toBe(200);
    expect((await app.call(getUser, { as: target, params: { id: targetId } })).status).toBe(200);
  });

  test('waits are integers rounded up to steps, so that they do not reveal when a budget was first used', () => {
    const wanted = [
      [1, 5],
      [4999, 5],
      [5001, 10],
      [60_000, 60],
      [60_001, 120],
      [600_001, 1200],
      [3_600_001, 7200],
    ] as const;
    for (const [ms, seconds] of wanted) expect(retryAfterSeconds(ms)).toBe(seconds);
    for (let ms = 1; ms < 100_000_000; ms = Math.ceil(ms * 1.37)) {
      expect(Number.isInteger(retryAfterSeconds(ms))).toBe(true);
      expect(retryAfterSeconds(ms) * 1000).toBeGreaterThanOrEqual(ms);
    }
  });
});

describe('limits of an address:', () => {
  const spoofs = (value: string): Record<string, string>[] => [
    { 'x-forwarded-for': value },
    { 'x-forwarded-for': `${value}, 127.0.0.1` },
    { 'x-real-ip': value },
    { forwarded: `for=${value}` },
    { 'cf-connecting-ip': value },
    { 'true-client-ip': value },
    { 'x-client-ip': value },
    { 'x-forwarded-host': value, 'x-forwarded-proto': 'https' },
  ];

  async function countedSubjects(app: TestApp): Promise<string[]> {
    const keys = await app.redis.keys(`${app.config.redisPrefix}bucket:callsPerAddress:*`);
    return keys.map((key) => key.split(':').at(-1) ?? '').toSorted();
  }
  const subject = (app: TestApp, address: string) => {
    const day = Math.floor(app.clock.now() / 86_400_000);
    return app.deps.redisCrypto.counter(`callsPerAddress:300:${day}`, addressSubject(app, address)).name;
  };

  test('300 calls in 5 minutes are allowed without a session, whatever the headers claim', async () => {
    const app = await startStrictApp();
    const headersOf = (call: number) => spoofs(`192.0.2.${call % 250}`)[call % 8] ?? {};
    const as = { address: '203.0.113.50' };
    for (let calls = 0; calls < 300; calls += 1) {
      expect((await app.call(listCountries, { as, headers: headersOf(calls) })).status).toBe(200);
    }
    for (let calls = 0; calls < 8; calls += 1)
      expectRateLimited(await app.call(listCountries, { as, headers: headersOf(calls) }));
    // Guessed tokens use the same budget.
    expectRateLimited(await app.call(getSelf, { as: { ...as, token: `uns_${'A'.repeat(51)}` } }));
    expect(await countedSubjects(app)).toEqual([subject(app, as.address)]);
    expect((await app.call(listCountries, { as: newActor() })).status).toBe(200);
  });

  test('a forged X-Forwarded-For does not get a number more codes (R56)', async () => {
    const app = await startStrictApp();
    const phone = makePhone();
    const statuses: number[] = [];
    for (let calls = 0; calls < 7; calls += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${calls}` };
      statuses.push(
        (await app.call(requestOtp, { as: { address: '203.0.113.51' }, body: { phone }, headers })).status,
      );
      // Slowly enough that the address needs no proof of work, which would be checked first.
      app.clock.advance(121_000);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test('behind TRUSTED_PROXIES the address is the last one in the chain that is not a trusted proxy', async () => {
    const app = await startStrictApp({ trustedProxies: ['10.0.0.0/8'] });
    const from = (address: string, forwarded: string) =>
      app.call(listCountries, { as: { address }, headers: { 'x-forwarded-for': forwarded } });
    await from('10.0.0.1', '198.51.100.7');
    expect(await countedSubjects(app)).toEqual([subject(app, '198.51.100.7')]);
    // The client's own entries are to the left of what the proxy adds, and are ignored.
    for (let forged = 0; forged < 10; forged += 1) await from('10.0.0.1', `192.0.2.${forged}, 198.51.100.7`);
    await from('10.0.0.1', '192.0.2.1, 198.51.100.7, 10.0.0.2');
    expect(await countedSubjects(app)).toEqual([subject(app, '198.51.100.7')]);
    // A client that bypasses the proxy is counted by its own address.
    for (let forged = 0; forged < 10; forged += 1) await from('198.51.100.8', `192.0.2.${forged}`);
    await from('198.51.100.8', '10.0.0.1');
    expect(await countedSubjects(app)).toEqual(
      [subject(app, '198.51.100.7'), subject(app, '198.51.100.8')].toSorted(),
    );
  });

  test('a port is no part of an address, and what is no address is refused', async () => {
    const app = await startStrictApp({ trustedProxies: ['10.0.0.0/8'] });
    const from = async (forwarded: string) =>
      (
        await app.call(listCountries, {
          as: { address: '10.0.0.1' },
          headers: { 'x-forwarded-for': forwarded },
        })
      ).status;
    const statuses = new Map<number, number>();
    for (let call = 0; call < 330; call += 1) {
      const status = await from(`198.51.100.11:${1000 + call}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [200, 300],
      [429, 30],
    ]);
    for (const garbage of ['garbage-1', 'unknown', '198.51.100.300', '198.51.100.7:x', '[::1', '_hidden'])
      expect(await from(garbage)).toBe(400);
    expect(await countedSubjects(app)).toEqual([subject(app, '198.51.100.11')]);
  });

  test('public calls of one address keep nobody behind it from signing in', async () => {
    const app = await startStrictApp();
    const address = '203.0.113.60';
    const [phone, owner] = [makePhone(), { address, cookies: new Map() }];
    await signIn(app, phone, owner);
    app.clock.advance(10 * 60_000);
    for (let calls = 0; calls < 308; calls += 1) await app.call(listCountries, { as: { address } });
    expectRateLimited(await app.call(listCountries, { as: { address } }));
    for (const [number, as] of [
      [phone, owner],
      [makePhone(), { address, cookies: new Map() }],
    ] as const) {
      expect((await app.call(requestOtp, { as, body: { phone: number } })).status).toBe(200);
      const body = { phone: number, otp: await app.codeFor(number) };
      expect((await app.call(verifyOtp, { as, body })).status).toBe(200);
    }
  });

  test('an address is one IPv4 address or one /64, however it is written, and a network one /56', () => {
    for (const spelling of [
      '::ffff:198.51.100.7',
      '::ffff:c633:6407',
      '198.51.100.7:443',
      '[::ffff:198.51.100.7]:1',
    ])
      expect(addressBlock(spelling)).toBe('198.51.100.7');
    expect(addressBlock('198.51.100.7', 56)).toBe('198.51.100.7');
    expect(addressBlock('2001:db8:0:1ff::1', 56)).toBe(addressBlock('2001:db8:0:100::1', 56));
    expect(addressBlock('2001:db8:0:200::1', 56)).not.toBe(addressBlock('2001:db8:0:100::1', 56));
    const spellings = [
      '2001:db8:0:1::1',
      '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
      '2001:DB8:0:1:2:3:4:5',
      '2001:db8:0:1::%eth0',
    ];
    for (const spelling of spellings) expect(addressBlock(spelling)).toBe('2001:db8:0:1');
    expect(addressBlock('2001:db8:0:2::1')).not.toBe('2001:db8:0:1');
    expect(addressBlock('::1')).toBe('0:0:0:0');
  });
});

describe('slow clients:', () => {
  test('the socket timeouts are set (R57)', async () => {
    const app = await ownTestApp(productionTimeouts);
    expect(app.server.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 75_000,
      maxRequestsPerSocket: 1000,
    });
    expect(app.server.initialConfig).toMatchObject({ handlerTimeout: 5000, bodyLimit: 32 * 1024 });
  });

  test('200 sockets that send their requests slowly delay no other client (R57)', async () => {
    const app = await ownTestApp();
    const port = await listen(app);
    const beginnings = [
      'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ',
      'POST /api/auth/request-otp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"phone":"',
      '',
      'GET /he',
    ];
    const sockets = await Promise.all(
      Array.from(
        { length: 200 },
        (_, index) =>
          new Promise<net.Socket>((resolve, reject) => {
            const socket = net.connect(port, '127.0.0.1', () => {
              socket.write(beginnings[index % beginnings.length] ?? '');
              resolve(socket);
            });
            socket.once('error', reject);
          }),
      ),
    );
    for (const socket of sockets) socket.on('error', () => {});
    const dribble = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('a')), 250);
    try {
      const countConnections = () =>
        new Promise<number>((resolve) => app.server.server.getConnections((_, count) => resolve(count)));
      await expect.poll(countConnections).toBeGreaterThanOrEqual(150);
      for (let round = 0; round < 50; round += 1) {
        await Promise.all(
          Array.from({ length: 4 }, async () => {
            const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
            await answer.text();
            expect(answer.status).toBe(200);
          }),
        );
      }
    } finally {
      clearInterval(dribble);
      for (const socket of sockets) socket.destroy();
    }
  });
});

test('windows are exact: no sequence of calls and pauses gets more than the limit into any window (R8)', async () => {
  const own = await ownTestApp({ limitsScale: 1 });
  const limiter = createCodeLimiter(own.deps.limiter);
  const names = Object.entries<readonly CodeBudget[]>(codeBudgets)
    .filter(([, windows]) => windows.every(({ limit }) => limit <= 300))
    .map(([name]) => name as CodeBudgetName);
  let subjects = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      // Mostly quick, because the larger budgets need many calls.
      fc.array(
        fc.record({
          seconds: fc.oneof(fc.nat(20), fc.nat(20), fc.nat(900)),
          done: fc.constantFrom(null, null, 'usual' as const, 'harder' as const),
        }),
        { minLength: 40, maxLength: 90 },
      ),
      async (budget, steps) => {
        subjects += 1;
        const windows: readonly CodeBudget[] = codeBudgets[budget];
        const taken: { at: number; done: string | null }[] = [];
        for (const { seconds, done } of steps) {
          own.clock.advance(seconds * 1000);
          const { rejection, powRequired } = await limiter.consume(
            [{ budget, subject: `property-${subjects}` }],
            { powGiven: done },
          );
          if (rejection) expect(rejection.retryAfterMs).toBeGreaterThan(0);
          else if (!powRequired) taken.push({ at: own.clock.now(), done });
          for (const { limit, windowSeconds, work, reserved = 0 } of windows) {
            const recent = taken.filter(
              ({ at, done: paid }) =>
                at > own.clock.now() - windowSeconds * 1000 &&
                !(work && (paid === 'harder' || paid === work)),
            );
            expect(recent.length, budget).toBeLessThanOrEqual(limit - reserved);
          }
        }
        // The limit is not too strict either: the first ones always pass.
        const free = Math.min(steps.length, ...windows.map(({ limit, reserved = 0 }) => limit - reserved));
        expect(taken.length).toBeGreaterThanOrEqual(free);
        own.clock.advance(2 * 86_400_000);
      },
    ),
    { numRuns: 40 },
  );
});

test('parallel calls share one window: of twenty, exactly the limit pass (R8)', async () => {
  const own = await ownTestApp({ limitsScale: 1 });
  const limiter = createCodeLimiter(own.deps.limiter);
  const results = await Promise.all(
    Array.from({ length: 20 }, () => limiter.consume([{ budget: 'sendsPerNumber', subject: 'parallel' }])),
  );
  expect(results.filter(({ rejection }) => rejection === null)).toHaveLength(5);
});
