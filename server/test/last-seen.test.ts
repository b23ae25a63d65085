import {
  changeUsername,
  deleteAccount,
  getSelf,
  listSessions,
  logout,
  type SessionView,
  setMutes,
} from '@unsaid/contract';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { addDays, dayMs, today, type Day } from '../src/platform/clock.ts';
import { seedUsers } from '../seed/people.ts';
import { deleteUser } from '../src/identity/profiles/profiles.queries.ts';
import { createVisitStore } from '../src/identity/sessions/visits.store.ts';
import { slotTag } from '../src/platform/slots.ts';
import { ownTestApp, startBehindProxy, type Actor, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { readFacts, readSessions } from './facts.ts';
import {
  makeComment,
  makePhone,
  makeUser,
  makeValidCode,
  makeVent,
  markConfirmed,
  runJob,
  signIn,
  type Person,
} from './factories.ts';

const setsOf = (app: TestApp, day: Day) => app.redis.keys(`${app.config.redisPrefix}visits:*:${day}`);
/** Of few visits: one in each set. */
const visitsOf = async (app: TestApp, day: Day) =>
  (await Promise.all((await setsOf(app, day)).map((key) => app.redis.smembers(key)))).flat();
const addVisits = (app: TestApp, day: Day, visits: readonly string[]) =>
  Promise.all(
    visits.map(async (visit) => {
      const [tag, prefix] = [slotTag(visit), app.config.redisPrefix];
      await app.redis.sadd(`${prefix}visits:${tag}:${day}`, visit);
      await app.redis.sadd(`${prefix}visit-days:${tag}`, day);
    }),
  );
const listPendingDays = async (app: TestApp) => {
  const keys = await app.redis.keys(`${app.config.redisPrefix}visits:*`);
  return [...new Set(keys.map((key) => key.slice(-10)))].toSorted();
};

async function clearSessionCache(app: TestApp): Promise<void> {
  const keys = await app.redis.keys(`${app.config.redisPrefix}sess:*`);
  if (keys.length > 0) await app.redis.del(keys);
}

/** Visits once, as after a night: the session is not cached anywhere. */
async function visit(app: TestApp, as: Actor): Promise<number> {
  app.clock.advance(2000);
  await clearSessionCache(app);
  return (await app.call(getSelf, { as })).status;
}

/** The last-seen days in the rows of a person and their sessions. */
async function daysOf(app: TestApp, { userId }: Person): Promise<{ user: Day; sessions: Day[] }> {
  const sessions = await readSessions(app, userId);
  return {
    user: (await readFacts(app, userId)).lastSeenOn,
    sessions: sessions.map(({ lastSeenOn }) => lastSeenOn),
  };
}

const writeVisits = (app: TestApp) => runJob(app, 'write-visits');

describe('the day of a visit', () => {
  test('is recorded in Redis once, at the visit, and written to Postgres by no call of the visitor (R34)', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    const signedUpOn = today(app.clock);
    app.clock.advance(dayMs);
    app.statements.length = 0;
    for (let times = 0; times < 3; times += 1) expect(await visit(app, person)).toBe(200);
    const asked = app.statements.filter(({ role }) => role === 'identity');
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(asked.filter(({ text }) => !/^\s*select/iu.test(text))).toEqual([]);
    expect(await visitsOf(app, today(app.clock))).toHaveLength(1);
    const [key = ''] = await setsOf(app, today(app.clock));
    expect(await app.redis.ttl(key)).toBeGreaterThan(39 * 86_400);
    expect(await daysOf(app, person)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
  });

  test('is written in the following night, for the session and its owner, and then removed from Redis', async () => {
    const app = await ownTestApp();
    const [person, other] = [await makeUser(app), await makeUser(app)];
    const signedUpOn = today(app.clock);
    app.clock.advance(2 * dayMs);
    await visit(app, person);
    const day = today(app.clock);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
    expect(await listPendingDays(app)).toEqual([day]);
    app.clock.advance(dayMs);
    await visit(app, other);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: day, sessions: [day] });
    expect(await daysOf(app, other)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
    expect(await listPendingDays(app)).toEqual([today(app.clock)]);
  });

  test('is the same when it is written twice, and when two workers write concurrently', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await visit(app, person);
    const day = today(app.clock);
    const noted = await visitsOf(app, day);
    app.clock.advance(dayMs);
    await Promise.all([writeVisits(app), writeVisits(app)]);
    const once = await daysOf(app, person);
    expect(once).toEqual({ user: day, sessions: [day] });
    // As if the worker had stopped between the write and the removal.
    await addVisits(app, day, noted);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual(once);
    expect(await listPendingDays(app)).toEqual([]);
  });

  test('never goes back: an older visit that is written late changes nothing', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await visit(app, person);
    const older = today(app.clock);
    const noted = await visitsOf(app, older);
    app.clock.advance(dayMs);
    await visit(app, person);
    const newer = today(app.clock);
    app.clock.advance(dayMs);
    await writeVisits(app);
    await addVisits(app, older, noted);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: newer, sessions: [newer] });
  });

  test('waits for a worker that was down for three days', async () => {
    const app = await ownTestApp();
    const people = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const days: Day[] = [];
    for (const [n] of people.entries()) {
      app.clock.advance(dayMs);
      days.push(today(app.clock));
      for (const person of people.slice(n)) await visit(app, person);
    }
    app.clock.advance(dayMs);
    expect(await listPendingDays(app)).toHaveLength(4);
    await writeVisits(app);
    for (const [n, person] of people.entries())
      expect(await daysOf(app, person)).toEqual({ user: days[n], sessions: [days[n]] });
    expect(await listPendingDays(app)).toEqual([]);
  });

  test('is written for the owner also where the session has ended meanwhile, and for no one who has left', async () => {
    const app = await ownTestApp();
    const [person, leaver] = [await makeUser(app), await makeUser(app)];
    app.clock.advance(dayMs);
    const day = today(app.clock);
    for (const one of [person, leaver]) expect(await visit(app, one)).toBe(200);
    await app.call(logout, { as: person });
    await deleteUser(app.deps.databases.identity, leaver.userId);
    app.clock.advance(dayMs);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: day, sessions: [] });
    expect(await listPendingDays(app)).toEqual([]);
  });

  test('cannot be forged by an attacker who writes to Redis', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    const before = await daysOf(app, person);
    app.clock.advance(dayMs);
    const day = today(app.clock);
    const forged = Array.from({ length: 500 }, (_, n) => app.deps.publicIds.session.encode(BigInt(n)));
    await addVisits(app, day, ['x', '', ...forged]);
    app.clock.advance(dayMs);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual(before);
    expect(await listPendingDays(app)).toEqual([]);
  });

  test('is shown at once in the list of sessions, for the caller’s session and the others', async () => {
    const app = await ownTestApp();
    const phone = makePhone();
    const phones = [await signIn(app, phone)];
    app.clock.advance(400_000);
    phones.push(await signIn(app, phone));
    const signedInOn = today(app.clock);
    const listLastSeen = async (as: Actor) =>
      (await app.call(listSessions, { as })).body.sessions.map(
        ({ isCurrent, lastSeenOn }: SessionView) => [isCurrent, lastSeenOn] as const,
      );
    app.clock.advance(13 * dayMs);
    const day = today(app.clock);
    expect(await listLastSeen(phones[1]!)).toEqual([
      [true, day],
      [false, signedInOn],
    ]);
    await visit(app, phones[0]!);
    app.clock.advance(3 * dayMs);
    // In the rows, both have been idle for 16 days.
    expect(await listLastSeen(phones[1]!)).toEqual([
      [true, today(app.clock)],
      [false, day],
    ]);
  });
});

describe('a session whose visit is not yet written', () => {
  /** A session that was idle for 13 days and then visited once, before the nightly job. */
  async function startAfterLateVisit() {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    expect(await visit(app, person)).toBe(200);
    const day = today(app.clock);
    app.clock.advance(dayMs);
    return { app, person, day };
  }

  test('is valid after midnight, although its row has been idle for 14 days (R24)', async () => {
    const { app, person, day } = await startAfterLateVisit();
    expect((await daysOf(app, person)).sessions).toEqual([addDays(day, -13)]);
    expect(await visit(app, person)).toBe(200);
  });

  test('would be rejected if the visit had not been recorded', async () => {
    const { app, person, day } = await startAfterLateVisit();
    await app.redis.del(await setsOf(app, day));
    expect(await visit(app, person)).toBe(401);
  });

  test('ends 14 days after that visit, and 30 days after sign-in (R24)', async () => {
    const { app, person } = await startAfterLateVisit();
    app.clock.advance(13 * dayMs);
    expect(await visit(app, person)).toBe(401);
    const { app: second, person: busy } = await startAfterLateVisit();
    for (let passed = 14; passed + 5 < 30; passed += 5) {
      second.clock.advance(5 * dayMs);
      expect(await visit(second, busy)).toBe(200);
    }
    second.clock.advance(5 * dayMs);
    expect(await visit(second, busy)).toBe(401);
  });

  test('is not purged, while one without a visit is', async () => {
    const { app, person } = await startAfterLateVisit();
    await runJob(app, 'purge-ended-sessions');
    expect((await daysOf(app, person)).sessions).toHaveLength(1);
    app.clock.advance(33 * dayMs);
    await runJob(app, 'purge-ended-sessions');
    expect((await daysOf(app, person)).sessions).toEqual([]);
  });
});

describe('without Redis', () => {
  async function startWithProxy() {
    const app = await ownTestApp();
    return { app, ...(await startBehindProxy(app)) };
  }

  test('a visit is not recorded and no one is rejected; the next call with Redis records it', async () => {
    const { app, second, redis } = await startWithProxy();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await redis.refuse();
    await clearSessionCache(app);
    expect((await second.call(getSelf, { as: person })).status).toBe(200);
    expect(await setsOf(app, today(app.clock))).toEqual([]);
    await redis.restore();
    await expect.poll(() => second.deps.redis.ping()).toBe(true);
    app.clock.advance(2000);
    expect((await second.call(getSelf, { as: person })).status).toBe(200);
    expect(await visitsOf(app, today(app.clock))).toHaveLength(1);
  });

  test('a session that seems idle gets a 503, not a 401', async () => {
    const { app, second, redis } = await startWithProxy();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    await visit(app, person);
    app.clock.advance(dayMs);
    await clearSessionCache(app);
    await redis.refuse();
    expect((await second.call(getSelf, { as: person })).status).toBe(503);
    expect(await visit(app, person)).toBe(200);
  });

  test('nothing is written and nothing is purged', async () => {
    const { app, second, redis } = await startWithProxy();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    await visit(app, person);
    app.clock.advance(dayMs);
    await redis.refuse();
    await expect(runJob(second, 'write-visits')).rejects.toThrow();
    await expect(runJob(second, 'purge-ended-sessions')).rejects.toThrow();
    expect((await daysOf(app, person)).sessions).toHaveLength(1);
    expect(await listPendingDays(app)).toHaveLength(2);
  });
});

describe('after the nightly job', () => {
  test('no row of identity reveals when it was written (R34)', async () => {
    const app = await ownTestApp();
    const people: Person[] = [];
    for (let n = 0; n < 8; n += 1) people.push(await makeUser(app));
    for (const [n, as] of people.entries()) {
      await app.call(changeUsername, { as, body: { newUsername: `first_${n}` } });
      await app.call(changeUsername, { as, body: { newUsername: `second_${n}` } });
      await makeValidCode(app, as);
      const mutes = { words: [`word ${n}`], hashtags: [], emotions: [] };
      expect((await app.call(setMutes, { as, body: mutes })).status).toBe(200);
    }
    // A leaver's name is kept while it is still shown.
    const { id: ventId } = await makeVent(app, people[0] as Person);
    for (let n = 0; n < 3; n += 1) {
      const leaver = await makeUser(app);
      await app.call(changeUsername, { as: leaver, body: { newUsername: `leaver_${n}` } });
      await makeComment(app, leaver, ventId);
      await markConfirmed(app, leaver);
      expect((await app.call(deleteAccount, { as: leaver })).status).toBe(200);
    }
    const countTransactions = () =>
      withClient(app.config.databaseUrl, async (client) => {
        const tables = await client.query<{ name: string }>(
          `select tablename as name from pg_tables where schemaname = 'identity' and tablename <> 'data_keys'`,
        );
        const found: Record<string, number> = {};
        const all = new Set<string>();
        for (const { name } of tables.rows) {
          const { rows } = await client.query<{ xmin: string }>(
            `select xmin::text from identity.${pg.escapeIdentifier(name)}`,
          );
          found[name] = rows.length;
          for (const { xmin } of rows) all.add(xmin);
        }
        return { found, transactions: all.size };
      });
    const before = await countTransactions();
    const { departed, held_usernames: held, held_numbers: numbers, ...others } = before.found;
    expect([departed, held, numbers]).toEqual([3, 8 + 3, 0]);
    const { failed_rows: failed, ...ofPeople } = others;
    expect(failed).toBe(0);
    expect(Object.values(ofPeople)).toEqual([8, 8, 8, 8, 8, 8]);
    expect(before.transactions).toBeGreaterThan(30);
    app.clock.advance(dayMs);
    await writeVisits(app);
    await runJob(app, 'release-held-usernames');
    expect(await countTransactions()).toEqual({ found: before.found, transactions: 3 });
  });

  test('no file of identity has the seed of an account that was deleted', async () => {
    const app = await ownTestApp();
    const people = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const leaver = await makeUser(app);
    const seeds = await app.deps.databases.identity
      .selectFrom('identity.users')
      .select(['id', 'authorSeed'])
      .execute();
    await markConfirmed(app, leaver);
    expect((await app.call(deleteAccount, { as: leaver })).status).toBe(200);
    const inFile = () =>
      withClient(app.config.databaseUrl, async (client) => {
        await client.query('checkpoint');
        const { rows } = await client.query<{ file: Buffer }>(
          `select pg_read_binary_file(pg_relation_filepath('identity.users')) as file`,
        );
        return seeds.filter(({ authorSeed }) => rows[0]?.file.includes(authorSeed)).map(({ id }) => id);
      });
    expect(await inFile()).toContain(leaver.userId);
    // What a transaction beside the job could still see, an autovacuum's say, stays in the file until the next night.
    for (let night = 0; night < 3 && (await inFile()).includes(leaver.userId); night += 1) {
      app.clock.advance(dayMs);
      await writeVisits(app);
      for (const person of people) await visit(app, person);
    }
    expect((await inFile()).toSorted()).toEqual(people.map(({ userId }) => userId).toSorted());
  });

  test('a table that is locked for long fails the job, which is done when it runs again', async () => {
    const app = await ownTestApp();
    await makeUser(app);
    const fileOf = (client: pg.Client) =>
      client.query<{ path: string }>(`select pg_relation_filepath('identity.users') as path`);
    await withClient(app.config.databaseUrl, async (client) => {
      const { rows: before } = await fileOf(client);
      app.clock.advance(dayMs);
      await client.query('begin; lock table identity.users in access share mode');
      await expect(writeVisits(app)).rejects.toThrow('lock timeout');
      expect((await fileOf(client)).rows).toEqual(before);
      await client.query('commit');
      await writeVisits(app);
      expect((await fileOf(client)).rows).not.toEqual(before);
    });
  });

  test('rows lie in the order of their keys, whatever the order of visits, and the transaction follows from the id (R34)', async () => {
    const app = await ownTestApp();
    const [people, together] = [2500, 1000];
    const { databases: db, clock } = app.deps;
    const seeded = seedUsers(db.identity, {
      seals: app.deps.seals,
      users: people,
      seed: 1,
      today: today(clock),
    });
    for await (const _ of seeded) void _;
    await withClient(app.config.databaseUrl, async (client) => {
      await client.query(`
        insert into identity.sessions (token_key, id, user_id, seal, facts)
          select sha256(id::text::bytea), (random() * 4e15)::bigint, id, sha256(id::text::bytea),
                 substr(sha256(id::text::bytea), 1, 16)
            from identity.users order by random();
        insert into identity.devices select sha256(id::text::bytea), id, '2027-01-01' from identity.users order by random();
        insert into identity.phone_index (key_id, idx, user_id, seal)
          select 1, sha256(id::text::bytea), id, sha256(id::text::bytea) from identity.users order by random();`);
    });
    const sessions = await db.identity
      .selectFrom('identity.sessions')
      .select(['id', 'userId'])
      .orderBy('tokenKey')
      .limit(300)
      .execute();
    const visits = createVisitStore(app.deps);
    for (const { id, userId } of sessions) await visits.record({ sessionId: id, userId });
    const listInOrder = (by: 'ctid' | 'key') =>
      withClient(app.config.databaseUrl, async (client) => {
        const found: Record<string, string[]> = {};
        for (const [name, key] of [
          ['users', 'id'],
          ['sessions', 'token_key'],
          ['devices', 'device_key'],
          ['phone_index', 'idx'],
        ] as const) {
          const { rows } = await client.query<{ key: string }>(
            `select ${key}::text as key from identity.${name} order by ${by === 'ctid' ? 'ctid' : key}`,
          );
          found[name] = rows.map((row) => row.key);
        }
        return found;
      });
    expect(await listInOrder('ctid')).not.toEqual(await listInOrder('key'));
    app.clock.advance(dayMs);
    await writeVisits(app);
    expect(await listInOrder('ctid')).toEqual(await listInOrder('key'));
    // More than one transaction, and a later one has higher ids.
    const { rows: parts } = await withClient(app.config.databaseUrl, (client) =>
      client.query<{ count: number; first: string; last: string }>(
        `select count(*)::int as count, min(id) as first, max(id) as last
           from identity.users group by xmin::text order by min(id)`,
      ),
    );
    expect(parts.map(({ count }) => count)).toEqual([together, together, people - 2 * together]);
    for (const [n, { first }] of parts.entries())
      if (n > 0) expect(BigInt(first)).toBeGreaterThan(BigInt(parts[n - 1]?.last ?? 0));
  });
});
