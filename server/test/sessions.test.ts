import { randomBytes } from 'node:crypto';
import {
  deleteAccount,
  deleteVent,
  getSelf,
  listComments,
  listSessions,
  logout,
  reauthenticate,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
} from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deviceCode, deviceLabel } from '../src/identity/sessions/device-label.ts';
import { addDays, dayMs, today } from '../src/platform/clock.ts';
import { runJobs } from '../src/platform/jobs.ts';
import {
  newActor,
  ownTestApp,
  startBehindProxy,
  startBeside,
  usePool,
  useTestApp,
  type Actor,
  type TestApp,
} from './app.ts';
import { withClient } from './db.ts';
import { makePhone, makeUser, markConfirmed, signIn, suspend } from './factories.ts';
import { expectLockWaiters } from './locks.ts';

const app = useTestApp();
const rows = usePool(app);

const isSignedIn = async (actor: Actor, which = app) =>
  (await which.call(getSelf, { as: actor })).status === 200;

async function clearCache(which: TestApp): Promise<void> {
  const keys = await which.redis.keys(`${which.config.redisPrefix}sess:*`);
  if (keys.length > 0) await which.redis.del(keys);
}

test('a request without a valid token is refused', async () => {
  for (const token of [undefined, 'uns_', `uns_${'A'.repeat(51)}`, 'x']) {
    const answer = await app.call(getSelf, { as: token === undefined ? {} : { token } });
    expect([answer.status, answer.body.code, answer.headers['www-authenticate']]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Bearer',
    ]);
  }
});

test('invented tokens reach neither PostgreSQL nor Redis', async () => {
  const person = await makeUser(app);
  const { token } = person;
  const end = token.at(-9) === 'A' ? 'B' : 'A';
  const invented = [
    `uns_${'A'.repeat(51)}`,
    `uns_${randomBytes(38).toString('base64url')}`,
    `${token.slice(0, -9)}${end}${token.slice(-8)}`,
    `${token.slice(0, 5)}${token[5] === 'A' ? 'B' : 'A'}${token.slice(6)}`,
  ];
  const sessionKeys = () => app.redis.keys(`${app.config.redisPrefix}sess:*`);
  const before = await sessionKeys();
  app.statements.length = 0;
  for (const one of invented)
    expect((await app.call(getSelf, { as: { ...newActor(), token: one } })).body.code).toBe(
      'UNAUTHENTICATED',
    );
  expect(app.statements).toEqual([]);
  expect(await sessionKeys()).toEqual(before);
  expect((await app.call(getSelf, { as: person })).status).toBe(200);
});

test('a token has 256 random bits, and Postgres and Redis contain only its hash (R23)', async () => {
  const tokens = new Set<string>();
  for (let made = 0; made < 20; made += 1) tokens.add((await makeUser(app)).token);
  expect(tokens.size).toBe(20);
  const [token = ''] = tokens;
  expect(token).toMatch(/^uns_[A-Za-z0-9_-]{51}$/u);
  await app.call(getSelf, { as: { token } });
  const rows = await app.deps.databases.identity.selectFrom('identity.sessions').selectAll().execute();
  const key = app.deps.seals.lookupKey('session', token);
  expect(rows.some((row) => row.tokenKey.equals(key))).toBe(true);
  const everything = JSON.stringify(
    [rows, await app.redis.keys(`${app.config.redisPrefix}*`)],
    (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  expect(everything).not.toContain(token.slice(4));
  expect(app.log.lines.join('')).not.toContain(token.slice(4, 20));
});

test('a token is accepted only in the Authorization header', async () => {
  const { token } = await makeUser(app);
  const inUrl = await app.server.inject({ url: `/api/auth/user?token=${token}&access_token=${token}` });
  expect(inUrl.statusCode).toBe(401);
  const inCookie = await app.server.inject({ url: '/api/auth/user', headers: { cookie: `token=${token}` } });
  expect(inCookie.statusCode).toBe(401);
  const basic = await app.server.inject({
    url: '/api/auth/user',
    headers: { authorization: `Basic ${token}` },
  });
  expect(basic.statusCode).toBe(401);
});

describe('the end of access', () => {
  const ways: Record<string, (phone: string, victim: Actor) => Promise<void>> = {
    logout: async (_phone, victim) => {
      expect((await app.call(logout, { as: victim })).status).toBe(200);
    },
    'revoking one from another device': async (phone, victim) => {
      const other = await signIn(app, phone);
      const { body } = await app.call(listSessions, { as: victim });
      const id = body.sessions.find(({ isCurrent }) => isCurrent)?._id ?? '';
      expect((await app.call(revokeSession, { as: other, params: { id } })).status).toBe(200);
    },
    'signing out everywhere else': async (phone, victim) => {
      const other = await signIn(app, phone);
      expect((await app.call(revokeOtherSessions, { as: other })).status).toBe(200);
      expect(await isSignedIn(other)).toBe(true);
      expect(victim.token).not.toBe(other.token);
    },
  };
  for (const [name, end] of Object.entries(ways)) {
    test(`by ${name} takes effect at once with a warm cache (R25)`, async () => {
      const victim = await makeUser(app);
      app.clock.advance(31_000);
      expect(await isSignedIn(victim)).toBe(true);
      expect(await isSignedIn(victim)).toBe(true);
      const keys = await app.redis.keys(`${app.config.redisPrefix}sess:*`);
      expect(keys.length, 'the cache is warm').toBeGreaterThan(0);
      await end(victim.phone, victim);
      expect(await isSignedIn(victim)).toBe(false);
      await clearCache(app);
      expect(await isSignedIn(victim)).toBe(false);
    });
  }

  test('is not undone by a read that began earlier and writes to the cache (R25)', async () => {
    const { second, redis } = await startBehindProxy(app);
    const victim = await makeUser(app);
    await clearCache(app);
    // The first read of a day records the visit in Redis after it has found the session, and caches it then.
    app.clock.advance(dayMs);
    const visits = `${app.config.redisPrefix}visits:*:${today(app.clock)}`;
    await withClient(app.config.databaseUrl, async (client) => {
      await client.query('begin; lock table identity.sessions in access exclusive mode');
      const reading = second.call(getSelf, { as: victim });
      await expectLockWaiters(rows, 1);
      const release = redis.holdAnswers();
      await client.query('commit');
      await expect.poll(() => app.redis.keys(visits)).toHaveLength(1);
      expect((await app.call(logout, { as: victim })).status).toBe(200);
      release();
      await reading;
    });
    // What the read sent to Redis before this has arrived.
    expect(await second.deps.redis.ping()).toBe(true);
    expect(await isSignedIn(victim)).toBe(false);
  });

  test('is final under load: no later request gets 200 (R25)', async () => {
    const victim = await makeUser(app);
    let isRevoked = false;
    const before: number[] = [];
    const after: number[] = [];
    const workers = Array.from({ length: 8 }, async () => {
      while (after.length < 50) {
        const statuses = isRevoked ? after : before;
        statuses.push((await app.call(getSelf, { as: victim })).status);
      }
    });
    await expect.poll(() => before.length).toBeGreaterThan(25);
    await app.call(logout, { as: victim });
    isRevoked = true;
    await Promise.all(workers);
    expect(before).toContain(200);
    expect(new Set(after)).toEqual(new Set([401]));
  });

  test('by suspension takes effect at once with a warm cache, and the person can still read their own account (R25)', async () => {
    const person = await makeUser(app);
    expect(await isSignedIn(person)).toBe(true);
    await suspend(app, person, addDays(today(app.clock), 1));
    const self = await app.call(getSelf, { as: person });
    expect([self.status, self.body.user.suspended]).toEqual([200, true]);
    const refused = await app.call(listSessions, { as: person });
    expect([refused.status, refused.body.code]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    app.clock.advance(2 * dayMs);
    expect((await app.call(listSessions, { as: person })).status).toBe(200);
  });
});

describe('in another process with a cached copy', () => {
  const pollUntil = (check: () => Promise<unknown>) => expect.poll(check, { interval: 5 });

  /** Ends a session in the first process while the second has a cached copy and no Redis. */
  async function endWithoutRedis() {
    const { second, redis } = await startBehindProxy(app);
    const victim = await makeUser(app);
    expect(await isSignedIn(victim, second)).toBe(true);
    await redis.refuse();
    await app.call(logout, { as: victim });
    return { second, victim };
  }

  test('an ended session is refused as soon as the notification arrives', async () => {
    const second = await startBeside(app);
    onTestFinished(second.close);
    const [victim, other] = [await makeUser(app), await makeUser(app)];
    // The clock stands still, so the cached copy of the second process would never expire.
    for (const which of [app, second]) expect(await isSignedIn(victim, which)).toBe(true);
    expect(await isSignedIn(other, second)).toBe(true);
    await app.call(logout, { as: victim });
    expect(await isSignedIn(victim)).toBe(false);
    await pollUntil(() => isSignedIn(victim, second)).toBe(false);
    expect(await isSignedIn(other, second)).toBe(true);
  });

  test('a suspended person is refused as soon as the notification arrives', async () => {
    const second = await startBeside(app);
    onTestFinished(second.close);
    const person = await makeUser(app);
    const readStatus = async () =>
      (await second.call(listComments, { as: person, params: { id: 'x' }, query: {} })).status;
    expect(await readStatus()).toBe(404);
    await suspend(app, person);
    await pollUntil(readStatus).toBe(403);
  });

  test('a session that ended while Redis was away stays ended when Redis is back with its old copy (R25)', async () => {
    const { second, redis } = await startBehindProxy(app);
    const victim = await makeUser(app);
    await clearCache(app);
    expect(await isSignedIn(victim, second)).toBe(true);
    await pollUntil(async () => (await app.redis.keys(`${app.config.redisPrefix}sess:*`)).length).toBe(1);
    await redis.refuse();
    expect((await second.call(logout, { as: victim })).status).toBe(200);
    await redis.restore();
    await pollUntil(() => second.deps.redis.ping()).toBe(true);
    for (let reads = 0; reads < 20; reads += 1) expect(await isSignedIn(victim, second)).toBe(false);
    // The first process has nothing pending, and reads what Redis has: the tombstone, long before the copy expires.
    const isSignedInFirst = () => {
      app.clock.advance(1000);
      return isSignedIn(victim);
    };
    await expect.poll(isSignedInFirst, { interval: 5, timeout: 30_000 }).toBe(false);
  });

  test('an ended session is refused after at most one second without Redis', async () => {
    const { second, victim } = await endWithoutRedis();
    app.clock.advance(1000);
    expect(await isSignedIn(victim, second)).toBe(false);
  });

  test('a sensitive call ignores cached copies', async () => {
    const { second, victim } = await endWithoutRedis();
    const answer = await second.call(deleteVent, { as: victim, params: { id: 'x' } });
    expect(answer.status).toBe(401);
  });
});

test('a session ends after 14 idle days (R24)', async () => {
  const own = await ownTestApp();
  const person = await makeUser(own);
  own.clock.advance(13 * dayMs);
  await clearCache(own);
  expect(await isSignedIn(person, own)).toBe(true);
  own.clock.advance(13 * dayMs);
  await clearCache(own);
  expect(await isSignedIn(person, own)).toBe(true);
  const silent = await makeUser(own);
  own.clock.advance(14 * dayMs);
  expect(await isSignedIn(silent, own)).toBe(false);
  await clearCache(own);
  expect(await isSignedIn(silent, own)).toBe(false);
});

test('a session ends after 30 days however it is used (R24)', async () => {
  const own = await ownTestApp();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 13 * 24 }), { minLength: 3, maxLength: 12 }),
      async (pausesInHours) => {
        const person = await makeUser(own);
        const bornAt = own.clock.now();
        let isAlive = true;
        for (const hours of pausesInHours) {
          own.clock.advance(hours * 3_600_000);
          await clearCache(own);
          const wasSeenOk = await isSignedIn(person, own);
          const age = own.clock.now() - bornAt;
          if (age >= 30 * dayMs) expect(wasSeenOk).toBe(false);
          if (!isAlive) expect(wasSeenOk, 'what has ended stays ended').toBe(false);
          if (isAlive && age < 29 * dayMs && hours <= 13 * 24) expect(wasSeenOk).toBe(true);
          isAlive = wasSeenOk;
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('every sign-in creates a new token, and the eleventh session ends the oldest (R26)', async () => {
  const phone = makePhone();
  const people: Actor[] = [];
  for (let count = 0; count < 11; count += 1) {
    people.push(await signIn(app, phone));
    app.clock.advance(400_000);
  }
  expect(new Set(people.map(({ token }) => token)).size).toBe(11);
  expect(await isSignedIn(people[0]!)).toBe(false);
  expect(await isSignedIn(people[1]!)).toBe(true);
  const { body } = await app.call(listSessions, { as: people[10] });
  expect(body.sessions).toHaveLength(10);
});

test('the session list shows a coarse label and days, no address and no sessions of others (R27)', async () => {
  const phone = makePhone();
  const me = await signIn(app, phone);
  const { body, text } = await app.call(listSessions, {
    as: me,
    headers: {
      'user-agent': 'Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36',
    },
  });
  expect(body.sessions).toEqual([
    {
      _id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/u) as string,
      label: expect.any(String) as string,
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u) as string,
      lastSeenOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u) as string,
      isCurrent: true,
    },
  ]);
  expect(text).not.toContain(me.address);
  const { rows } = await withClient(app.config.databaseUrl, (client) =>
    client.query<{ row: string }>('select to_jsonb(s)::text as row from identity.sessions s'),
  );
  expect(rows.map(({ row }) => row).join('')).not.toMatch(/198\.51|203\.0/u);
});

test('another person’s session cannot be revoked, and the response is 404 (SC-17)', async () => {
  const [me, other] = [await makeUser(app), await makeUser(app)];
  const theirs = (await app.call(listSessions, { as: other })).body.sessions[0]!._id;
  const answer = await app.call(revokeSession, { as: me, params: { id: theirs } });
  expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  expect(await isSignedIn(other)).toBe(true);
});

test('a device label names the browser and the system, and nothing else', () => {
  const labelOf = (userAgent: string) => deviceLabel(deviceCode(userAgent));
  expect(
    labelOf(
      'Mozilla/5.0 (Linux; Android 10; SM-A105F) AppleWebKit/537.36 Chrome/150.0.1.2 Mobile Safari/537.36',
    ),
  ).toBe('Chrome on Android');
  expect(
    labelOf('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1'),
  ).toBe('Safari on iPhone');
  expect(labelOf('curl/8')).toBe('Unknown device');
});

test('the nightly job removes sessions that ended before this month, and only those', async () => {
  const own = await ownTestApp();
  await makeUser(own);
  // From the 15th of November: it ended on the 29th.
  own.clock.advance(15 * dayMs);
  await runJobs(own.features.jobs);
  const count = async () =>
    (await own.deps.databases.identity.selectFrom('identity.sessions').select('id').execute()).length;
  expect(await count()).toBe(1);
  own.clock.advance(5 * dayMs);
  const fresh = await makeUser(own);
  await runJobs(own.features.jobs);
  const rows = await own.deps.databases.identity.selectFrom('identity.sessions').select('userId').execute();
  expect(rows.map((row) => row.userId)).toEqual([fresh.userId]);
});

test('a fresh code confirms only the account of its number', async () => {
  const [me, other] = [await makeUser(app), await makeUser(app)];
  app.clock.advance(31_000);
  const actor = { ...newActor(), token: me.token };
  await app.call(requestOtp, { as: actor, body: { phone: other.phone, purpose: 'reauth' } });
  const sent = () => app.deps.outbox.recent().filter(({ to }) => to === other.phone).length;
  await expect.poll(sent).toBe(2);
  const answer = await app.call(reauthenticate, {
    as: actor,
    body: { phone: other.phone, otp: await app.codeFor(other.phone) },
  });
  expect([answer.status, answer.body.code]).toEqual([401, 'OTP_INVALID']);
});

test('a call that ends the current session clears the browser’s cache, and no other call does (R28)', async () => {
  const me = await makeUser(app);
  const another = async () => ({ token: await app.features.sessions.open(me.userId, 'test') });
  const [second, third] = [await another(), await another()];
  const idOf = async (as: Actor) =>
    (await app.call(listSessions, { as })).body.sessions.find(({ isCurrent }) => isCurrent)?._id ?? '';
  const dropped = async (answer: Promise<{ status: number; headers: Record<string, unknown> }>) => {
    const { status, headers } = await answer;
    return [status, headers['clear-site-data']];
  };
  const revoke = async (as: Actor, whose: Actor) =>
    dropped(app.call(revokeSession, { as, params: { id: await idOf(whose) } }));
  expect(await revoke(me, second)).toEqual([200, undefined]);
  expect(await revoke(third, third)).toEqual([200, '"cache"']);
  expect(await dropped(app.call(revokeSession, { as: me, params: { id: 'x' } }))).toEqual([404, undefined]);
  expect(await dropped(app.call(logout, { as: third }))).toEqual([401, undefined]);
  expect(await dropped(app.call(logout, { as: await another() }))).toEqual([200, '"cache"']);
  expect(await dropped(app.call(deleteAccount, { as: me }))).toEqual([403, undefined]);
  await markConfirmed(app, me);
  expect(await dropped(app.call(deleteAccount, { as: me }))).toEqual([200, '"cache"']);
});

test('a row that was given to another person is in nobody’s list: it would tell when its owner was here', async () => {
  const [me, victim] = [await makeUser(app), await makeUser(app)];
  await rows.query('update identity.sessions set user_id = $1 where user_id = $2', [
    me.userId,
    victim.userId,
  ]);
  const { sessions } = (await app.call(listSessions, { as: me })).body;
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true]);
});
