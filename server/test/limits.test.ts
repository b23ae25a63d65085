import net from 'node:net';
import {
  changeUsername,
  codeBudgets,
  getSelf,
  getUser,
  listCountries,
  requestOtp,
  updateDetails,
  type BudgetName,
  type CodeBudget,
  type CodeBudgetName,
} from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressBlock, addressKey } from '../src/platform/http/address.ts';
import { retryAfterSeconds } from '../src/platform/limiter.ts';
import { newActor, ownTestApp, type Answer, type TestApp } from './app.ts';
import { makePhone, makeUser, signIn, type Person } from './make.ts';
import { otherIdIn, suggestionWith } from './pairs.ts';
import { listen } from './socket.ts';

const strictApp = (overrides = {}) => ownTestApp({ limitsScale: 1, ...overrides });

function expectRateLimited(answer: Answer<unknown>): void {
  expect(answer.status, answer.text).toBe(429);
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['success', 'message', 'code', 'requestId']);
  expect(answer.body.code).toBe('RATE_LIMITED');
  expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/u);
  // Neither which budget it was, nor how much of it is left.
  expect(`${JSON.stringify(answer.headers)}${answer.text}`).not.toMatch(
    /callsPer|profileViews|profileEdits|username|bucket|budget|ratelimit|remaining|x-rate/iu,
  );
}

describe('limits of a person', () => {
  test('a name can be changed 3 times a day, and keeping it is free', async () => {
    const app = await strictApp();
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

  test('a profile can be edited 20 times an hour', async () => {
    const app = await strictApp();
    const me = await makeUser(app);
    const edit = () => app.call(updateDetails, { as: me, body: { bio: 'x' } });
    for (let edits = 0; edits < 20; edits += 1) expect((await edit()).status).toBe(200);
    expectRateLimited(await edit());
    app.clock.advance(3_600_000);
    expect((await edit()).status).toBe(200);
  });

  test('60 profiles can be looked at in an hour', async () => {
    const app = await strictApp();
    const [me, other] = [await makeUser(app), await makeUser(app)];
    const id = otherIdIn(me, await suggestionWith(app, me, other));
    const look = () => app.call(getUser, { as: me, params: { id } });
    for (let looks = 0; looks < 60; looks += 1) expect((await look()).status).toBe(200);
    expectRateLimited(await look());
    app.clock.advance(3_600_000);
    expect((await look()).status).toBe(200);
  });

  test('a session can make 300 calls in 5 minutes, and another session of the same person goes on', async () => {
    const app = await strictApp();
    const me = await makeUser(app);
    const call = (as = me) => app.call(getSelf, { as });
    for (let calls = 0; calls < 300; calls += 1) expect((await call()).status).toBe(200);
    expectRateLimited(await call());
    app.clock.advance(60_000);
    expect((await call(await signIn(app, me.phone))).status).toBe(200);
    app.clock.advance(5 * 60_000);
    expect((await call()).status).toBe(200);
  });

  test('a person can make 1,500 calls in 5 minutes over all their sessions', async () => {
    const app = await strictApp();
    const me = await makeUser(app);
    const viewer = await app.features.sessions.authenticate(me.token, { skipCache: true });
    const subject = viewer?.countedAs('callsPerUser') ?? '';
    // Most of them straight from the bucket, in small lots: Redis is given 200 ms an answer.
    for (let lots = 0; lots < 65; lots += 1) {
      const lot = Array.from({ length: 23 }, () =>
        app.deps.limiter.takeFromBuckets([{ budget: 'callsPerUser', subject }]),
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

  test('120 reactions may follow at once in 5 minutes, and then one in 2.5 seconds, told to 10', async () => {
    const { clock, deps } = await strictApp();
    const take = () => deps.limiter.takeFromBuckets([{ budget: 'reactions', subject: 'somebody' }]);
    // Wherever in a tick it begins.
    clock.advance(1234);
    const takeAll = async () => {
      let taken = 0;
      while (!(await take())) taken += 1;
      return taken;
    };
    expect(await takeAll()).toBe(120);
    const refusal = await take();
    clock.advance((refusal?.retryAfterMs ?? 0) - 1);
    expect(await take()).not.toBeNull();
    clock.advance(1);
    expect(await takeAll()).toBe(4);
    clock.advance(5 * 60_000);
    expect(await takeAll()).toBe(120);
  });

  test('begin anew with the day, or with the month where they are of a month', async () => {
    const { clock, deps } = await strictApp();
    const takeAll = async (budget: BudgetName) => {
      let taken = 0;
      while (!(await deps.limiter.takeFromBuckets([{ budget, subject: 'somebody' }]))) taken += 1;
      return taken;
    };
    clock.advance(11.9 * 3_600_000);
    expect([await takeAll('profileViews'), await takeAll('username')]).toEqual([60, 3]);
    clock.advance(0.2 * 3_600_000);
    expect([await takeAll('profileViews'), await takeAll('username')]).toEqual([60, 3]);
    clock.advance(24 * 3_600_000);
    expect([await takeAll('username'), await takeAll('username')]).toEqual([3, 0]);
    clock.advance(24 * 3_600_000);
    // Ten in thirty days, whatever the days would allow.
    expect(await takeAll('username')).toBe(1);
  });

  test('hold no finer time than 10 seconds, even for whoever has the key', async () => {
    const app = await strictApp();
    app.clock.advance(1234);
    await app.deps.limiter.takeFromBuckets([{ budget: 'vents', subject: 'somebody' }]);
    const kind = `vents:600:${Math.floor(app.clock.now() / 86_400_000)}`;
    const { name, mask } = app.deps.opaque.counter(kind, 'somebody');
    const stored = await app.redis.get(`${app.config.redisPrefix}bucket:vents:600:${name}`);
    expect(Number(stored) - mask - 60_000).toBe(Math.ceil(app.clock.now() / 10_000) * 10_000);
  });

  test('depend on the caller alone: whoever is looked at, there or not, it counts and answers the same', async () => {
    const app = await strictApp();
    const [caller, rival, target] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const peerOf = async (me: Person, other: Person) => otherIdIn(me, await suggestionWith(app, me, other));
    const targetId = await peerOf(caller, target);
    const ids = [targetId, target.user._id, 'A'.repeat(22), app.deps.seals.peer.seal(999_999n), 'x'];
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
    // The one who was looked at 12 times has spent nothing, and others may still look.
    const rivalsId = await peerOf(rival, target);
    expect((await app.call(getUser, { as: rival, params: { id: rivalsId } })).status).toBe(200);
    expect((await app.call(getUser, { as: target, params: { id: targetId } })).status).toBe(200);
  });

  test('waits are whole numbers rounded up to steps, so that they do not tell when a budget was begun', () => {
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

describe('limits of an address', () => {
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
    const key = addressKey(app.deps.keys.current('ip/1').key, address);
    return app.deps.opaque.counter(`callsPerAddress:300:${day}`, key).name;
  };

  test('300 calls in 5 minutes without a session, whatever the headers claim', async () => {
    const app = await strictApp();
    const headersOf = (call: number) => spoofs(`192.0.2.${call % 250}`)[call % 8] ?? {};
    const as = { address: '203.0.113.50' };
    for (let calls = 0; calls < 300; calls += 1) {
      expect((await app.call(listCountries, { as, headers: headersOf(calls) })).status).toBe(200);
    }
    for (let calls = 0; calls < 8; calls += 1)
      expectRateLimited(await app.call(listCountries, { as, headers: headersOf(calls) }));
    // Guessing at tokens comes out of the same budget.
    expectRateLimited(await app.call(getSelf, { as: { ...as, token: `uns_${'A'.repeat(43)}` } }));
    expect(await countedSubjects(app)).toEqual([subject(app, as.address)]);
    expect((await app.call(listCountries, { as: newActor() })).status).toBe(200);
  });

  test('a forged X-Forwarded-For does not get a number more codes', async () => {
    const app = await strictApp();
    const phone = makePhone();
    const statuses: number[] = [];
    for (let calls = 0; calls < 7; calls += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${calls}` };
      statuses.push(
        (await app.call(requestOtp, { as: { address: '203.0.113.51' }, body: { phone }, headers })).status,
      );
      // Slowly enough that the address owes no work, which would be asked for first.
      app.clock.advance(121_000);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test('behind TRUSTED_PROXIES the address is the last one that a trusted hop did not write itself', async () => {
    const app = await strictApp({ trustedProxies: ['10.0.0.0/8'] });
    const from = (address: string, forwarded: string) =>
      app.call(listCountries, { as: { address }, headers: { 'x-forwarded-for': forwarded } });
    await from('10.0.0.1', '198.51.100.7');
    expect(await countedSubjects(app)).toEqual([subject(app, '198.51.100.7')]);
    // What the visitor wrote stands to the left of what the proxy added, and is not believed.
    for (let forged = 0; forged < 10; forged += 1) await from('10.0.0.1', `192.0.2.${forged}, 198.51.100.7`);
    await from('10.0.0.1', '192.0.2.1, 198.51.100.7, 10.0.0.2');
    expect(await countedSubjects(app)).toEqual([subject(app, '198.51.100.7')]);
    // A visitor who comes past the proxy is counted by where they come from.
    for (let forged = 0; forged < 10; forged += 1) await from('198.51.100.8', `192.0.2.${forged}`);
    await from('198.51.100.8', '10.0.0.1');
    expect(await countedSubjects(app)).toEqual(
      [subject(app, '198.51.100.7'), subject(app, '198.51.100.8')].toSorted(),
    );
  });

  test('an address is one IPv4 or one /64, however it is spelled', () => {
    expect(addressBlock('::ffff:198.51.100.7')).toBe('198.51.100.7');
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

describe('slow visitors', () => {
  test('the times a socket may take are set', async () => {
    const app = await ownTestApp();
    expect(app.server.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 75_000,
      maxRequestsPerSocket: 1000,
    });
    expect(app.server.initialConfig).toMatchObject({ handlerTimeout: 5000, bodyLimit: 32 * 1024 });
  });

  // The clients share this process with the server, so a busy machine gets a second try.
  test(
    '200 sockets that dribble their requests leave 99 of 100 answers under half a second',
    { retry: 2 },
    async () => {
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
      const dribble = setInterval(
        () => sockets.forEach((socket) => socket.writable && socket.write('a')),
        250,
      );
      try {
        const times: number[] = [];
        for (let round = 0; round < 50; round += 1) {
          await Promise.all(
            Array.from({ length: 4 }, async () => {
              const began = performance.now();
              const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
              await answer.text();
              expect(answer.status).toBe(200);
              times.push(performance.now() - began);
            }),
          );
        }
        const connections = await new Promise<number>((resolve) =>
          app.server.server.getConnections((_, count) => resolve(count)),
        );
        expect(connections).toBeGreaterThanOrEqual(150);
        expect(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]).toBeLessThan(500);
      } finally {
        clearInterval(dribble);
        for (const socket of sockets) socket.destroy();
      }
    },
  );
});

test('windows are exact: no sequence of takes and pauses gets more than the limit into any window', async () => {
  const own = await ownTestApp({ limitsScale: 1 });
  const names = Object.entries<readonly CodeBudget[]>(codeBudgets)
    .filter(([, windows]) => windows.every(({ limit }) => limit <= 300))
    .map(([name]) => name as CodeBudgetName);
  let subjects = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      // Mostly quick: the larger budgets take a crowd.
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
          const { refusal, workDue } = await own.deps.limiter.takeFromWindows(
            [{ budget, subject: `property-${subjects}` }],
            { done },
          );
          if (refusal) expect(refusal.retryAfterMs).toBeGreaterThan(0);
          else if (!workDue) taken.push({ at: own.clock.now(), done });
          for (const { limit, windowSeconds, work, reserved = 0 } of windows) {
            const recent = taken.filter(
              ({ at, done: paid }) =>
                at > own.clock.now() - windowSeconds * 1000 &&
                !(work && (paid === 'harder' || paid === work)),
            );
            expect(recent.length, budget).toBeLessThanOrEqual(limit - reserved);
          }
        }
        // And it is no wall either: the first ones always pass.
        const free = Math.min(steps.length, ...windows.map(({ limit, reserved = 0 }) => limit - reserved));
        expect(taken.length).toBeGreaterThanOrEqual(free);
        own.clock.advance(2 * 86_400_000);
      },
    ),
    { numRuns: 40 },
  );
});

test('parallel takes share one window: twenty at once get exactly the limit', async () => {
  const own = await ownTestApp({ limitsScale: 1 });
  const results = await Promise.all(
    Array.from({ length: 20 }, () =>
      own.deps.limiter.takeFromWindows([{ budget: 'sendsPerNumber', subject: 'parallel' }]),
    ),
  );
  expect(results.filter(({ refusal }) => refusal === null)).toHaveLength(5);
});
