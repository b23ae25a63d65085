import {
  changeUsername,
  deleteAccount,
  getSelf,
  listSessions,
  logout,
  makeRecoveryCode,
  type SessionView,
} from '@unsaid/contract';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { addDays, dayMs, today, type Day } from '../src/platform/clock.ts';
import { seedUsers } from '../src/profiles/profiles.seed.ts';
import { createVisitsService } from '../src/auth/visits.service.ts';
import { ownTestApp, startBehindProxy, type Actor, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import {
  makeComment,
  makePhone,
  makeUser,
  makeVent,
  markConfirmed,
  runJob,
  signIn,
  type Person,
} from './make.ts';

const setOf = (app: TestApp, day: Day) => `${app.config.redisPrefix}visits:${day}`;
const waiting = async (app: TestApp) =>
  (await app.redis.keys(`${app.config.redisPrefix}visits:*`)).map((key) => key.slice(-10)).toSorted();

async function forgetCache(app: TestApp): Promise<void> {
  const keys = await app.redis.keys(`${app.config.redisPrefix}sess:*`);
  if (keys.length > 0) await app.redis.del(keys);
}

/** Comes by once, as after a night: no copy of the session is left anywhere. */
async function come(app: TestApp, as: Actor): Promise<number> {
  app.clock.advance(2000);
  await forgetCache(app);
  return (await app.call(getSelf, { as })).status;
}

/** What the rows say of the last day of somebody and of their sessions. */
async function daysOf(app: TestApp, { userId }: Person): Promise<{ user: Day; sessions: Day[] }> {
  const { db } = app.deps;
  const user = await db.identity
    .selectFrom('identity.users')
    .select('lastSeenOn')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const sessions = await db.identity
    .selectFrom('identity.sessions')
    .select('lastSeenOn')
    .where('userId', '=', userId)
    .orderBy('id')
    .execute();
  return { user: user.lastSeenOn, sessions: sessions.map(({ lastSeenOn }) => lastSeenOn) };
}

const writeVisits = (app: TestApp) => runJob(app, 'write-visits');

describe('the day somebody was here', () => {
  test('is noted when they come, once, and written by nothing that they do', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    const signedUpOn = today(app.clock);
    app.clock.advance(dayMs);
    app.statements.length = 0;
    for (let times = 0; times < 3; times += 1) expect(await come(app, person)).toBe(200);
    const asked = app.statements.filter(({ role }) => role === 'identity');
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(asked.filter(({ text }) => !/^\s*select/iu.test(text))).toEqual([]);
    expect(await app.redis.scard(setOf(app, today(app.clock)))).toBe(1);
    expect(await app.redis.ttl(setOf(app, today(app.clock)))).toBeGreaterThan(39 * 86_400);
    expect(await daysOf(app, person)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
  });

  test('is written in the night after it, of the session and of its owner, and then no longer noted', async () => {
    const app = await ownTestApp();
    const [person, other] = [await makeUser(app), await makeUser(app)];
    const signedUpOn = today(app.clock);
    app.clock.advance(2 * dayMs);
    await come(app, person);
    const day = today(app.clock);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
    expect(await waiting(app)).toEqual([day]);
    app.clock.advance(dayMs);
    await come(app, other);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: day, sessions: [day] });
    expect(await daysOf(app, other)).toEqual({ user: signedUpOn, sessions: [signedUpOn] });
    expect(await waiting(app)).toEqual([today(app.clock)]);
  });

  test('is the same when it is written twice, and when two workers write at once', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await come(app, person);
    const day = today(app.clock);
    const noted = await app.redis.smembers(setOf(app, day));
    app.clock.advance(dayMs);
    await Promise.all([writeVisits(app), writeVisits(app)]);
    const once = await daysOf(app, person);
    expect(once).toEqual({ user: day, sessions: [day] });
    // As if the worker had ended between writing and forgetting.
    await app.redis.sadd(setOf(app, day), noted);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual(once);
    expect(await waiting(app)).toEqual([]);
  });

  test('never goes back: an older visit that comes to be written late changes nothing', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await come(app, person);
    const older = today(app.clock);
    const noted = await app.redis.smembers(setOf(app, older));
    app.clock.advance(dayMs);
    await come(app, person);
    const newer = today(app.clock);
    app.clock.advance(dayMs);
    await writeVisits(app);
    await app.redis.sadd(setOf(app, older), noted);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: newer, sessions: [newer] });
  });

  test('waits for a worker that was away for three days', async () => {
    const app = await ownTestApp();
    const people = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const days: Day[] = [];
    for (const [n] of people.entries()) {
      app.clock.advance(dayMs);
      days.push(today(app.clock));
      for (const person of people.slice(n)) await come(app, person);
    }
    app.clock.advance(dayMs);
    expect(await waiting(app)).toHaveLength(4);
    await writeVisits(app);
    for (const [n, person] of people.entries())
      expect(await daysOf(app, person)).toEqual({ user: days[n], sessions: [days[n]] });
    expect(await waiting(app)).toEqual([]);
  });

  test('is written of the owner also where the session has ended meanwhile, and of nobody who has left', async () => {
    const app = await ownTestApp();
    const [person, leaver] = [await makeUser(app), await makeUser(app)];
    app.clock.advance(dayMs);
    const day = today(app.clock);
    for (const one of [person, leaver]) expect(await come(app, one)).toBe(200);
    await app.call(logout, { as: person });
    await app.deps.db.identity.deleteFrom('identity.users').where('id', '=', leaver.userId).execute();
    app.clock.advance(dayMs);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual({ user: day, sessions: [] });
    expect(await waiting(app)).toEqual([]);
  });

  test('cannot be made up by whoever writes into Redis', async () => {
    const app = await ownTestApp();
    const person = await makeUser(app);
    const before = await daysOf(app, person);
    app.clock.advance(dayMs);
    const day = today(app.clock);
    const forged = Array.from({ length: 500 }, (_, n) => app.deps.seals.session.seal(BigInt(n)));
    await app.redis.sadd(setOf(app, day), 'x', '', ...forged);
    app.clock.advance(dayMs);
    await writeVisits(app);
    expect(await daysOf(app, person)).toEqual(before);
    expect(await waiting(app)).toEqual([]);
  });

  test('is shown at once in the list of sessions, one’s own and the others’', async () => {
    const app = await ownTestApp();
    const phone = makePhone();
    const phones = [await signIn(app, phone)];
    app.clock.advance(400_000);
    phones.push(await signIn(app, phone));
    const signedInOn = today(app.clock);
    const shown = async (as: Actor) =>
      (await app.call(listSessions, { as })).body.sessions.map(
        ({ isCurrent, lastSeenOn }: SessionView) => [isCurrent, lastSeenOn] as const,
      );
    app.clock.advance(13 * dayMs);
    const day = today(app.clock);
    expect(await shown(phones[1]!)).toEqual([
      [true, day],
      [false, signedInOn],
    ]);
    await come(app, phones[0]!);
    app.clock.advance(3 * dayMs);
    // The rows say 16 days of silence of both.
    expect(await shown(phones[1]!)).toEqual([
      [true, today(app.clock)],
      [false, day],
    ]);
  });
});

describe('a session whose visit is still to be written', () => {
  /** Silent for 13 days, then here once; and the night after has not come yet. */
  async function cameLate() {
    const app = await ownTestApp();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    expect(await come(app, person)).toBe(200);
    const day = today(app.clock);
    app.clock.advance(dayMs);
    return { app, person, day };
  }

  test('is alive after midnight, though its row says that it has been idle for 14 days', async () => {
    const { app, person, day } = await cameLate();
    expect((await daysOf(app, person)).sessions).toEqual([addDays(day, -13)]);
    expect(await come(app, person)).toBe(200);
  });

  test('would be refused if the visit had not been noted', async () => {
    const { app, person, day } = await cameLate();
    await app.redis.del(setOf(app, day));
    expect(await come(app, person)).toBe(401);
  });

  test('lives no longer for it: 14 days after that visit it has ended, and 30 days after the first', async () => {
    const { app, person } = await cameLate();
    app.clock.advance(13 * dayMs);
    expect(await come(app, person)).toBe(401);
    const { app: second, person: busy } = await cameLate();
    for (let passed = 14; passed + 5 < 30; passed += 5) {
      second.clock.advance(5 * dayMs);
      expect(await come(second, busy)).toBe(200);
    }
    second.clock.advance(5 * dayMs);
    expect(await come(second, busy)).toBe(401);
  });

  test('is not purged, and one without a visit is', async () => {
    const { app, person } = await cameLate();
    await runJob(app, 'purge-ended-sessions');
    expect((await daysOf(app, person)).sessions).toHaveLength(1);
    app.clock.advance(13 * dayMs);
    await runJob(app, 'purge-ended-sessions');
    expect((await daysOf(app, person)).sessions).toEqual([]);
  });
});

describe('without Redis', () => {
  async function cutOff() {
    const app = await ownTestApp();
    return { app, ...(await startBehindProxy(app)) };
  }

  test('a visit is not noted and nobody is kept out; the next call that finds Redis notes it', async () => {
    const { app, second, redis } = await cutOff();
    const person = await makeUser(app);
    app.clock.advance(dayMs);
    await redis.refuse();
    await forgetCache(app);
    expect((await second.call(getSelf, { as: person })).status).toBe(200);
    expect(await app.redis.exists(setOf(app, today(app.clock)))).toBe(0);
    await redis.restore();
    await expect.poll(() => second.deps.redis.ping()).toBe(true);
    app.clock.advance(2000);
    expect((await second.call(getSelf, { as: person })).status).toBe(200);
    expect(await app.redis.scard(setOf(app, today(app.clock)))).toBe(1);
  });

  test('a session that looks idle is told to come again, not that it has ended', async () => {
    const { app, second, redis } = await cutOff();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    await come(app, person);
    app.clock.advance(dayMs);
    await forgetCache(app);
    await redis.refuse();
    expect((await second.call(getSelf, { as: person })).status).toBe(503);
    expect(await come(app, person)).toBe(200);
  });

  test('nothing is written and nothing is purged', async () => {
    const { app, second, redis } = await cutOff();
    const person = await makeUser(app);
    app.clock.advance(13 * dayMs);
    await come(app, person);
    app.clock.advance(dayMs);
    await redis.refuse();
    await expect(runJob(second, 'write-visits')).rejects.toThrow();
    await expect(runJob(second, 'purge-ended-sessions')).rejects.toThrow();
    expect((await daysOf(app, person)).sessions).toHaveLength(1);
    expect(await waiting(app)).toHaveLength(2);
  });
});

describe('after the night', () => {
  test('no row on the identity side tells when it was written', async () => {
    const app = await ownTestApp();
    const people: Person[] = [];
    for (let n = 0; n < 8; n += 1) people.push(await makeUser(app));
    for (const [n, as] of people.entries()) {
      await app.call(changeUsername, { as, body: { newUsername: `first_${n}` } });
      await app.call(changeUsername, { as, body: { newUsername: `second_${n}` } });
      expect((await app.call(makeRecoveryCode, { as })).status).toBe(200);
    }
    // Of who leaves, a name stays that is still shown.
    const { id: ventId } = await makeVent(app, people[0] as Person);
    for (let n = 0; n < 3; n += 1) {
      const leaver = await makeUser(app);
      await app.call(changeUsername, { as: leaver, body: { newUsername: `leaver_${n}` } });
      await makeComment(app, leaver, ventId);
      await markConfirmed(app, leaver);
      expect((await app.call(deleteAccount, { as: leaver })).status).toBe(200);
    }
    const written = () =>
      withClient(app.config.databaseUrl, async (client) => {
        const tables = await client.query<{ name: string }>(
          `select tablename as name from pg_tables where schemaname = 'identity' and tablename <> 'phone_keys'`,
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
    const before = await written();
    const { departed, held_usernames: held, ...others } = before.found;
    expect([departed, held]).toEqual([3, 8 + 3]);
    expect(Object.values(others)).toEqual([8, 8, 8, 8, 8]);
    expect(before.transactions).toBeGreaterThan(30);
    app.clock.advance(dayMs);
    await writeVisits(app);
    await runJob(app, 'release-held-usernames');
    expect(await written()).toEqual({ found: before.found, transactions: 2 });
  });

  test('rows were written in the order of ids, whatever the order of coming and however they lay; the transaction follows from the id', async () => {
    const app = await ownTestApp();
    const [people, together] = [2500, 1000];
    const { db, clock } = app.deps;
    const seeded = seedUsers(db.identity, { users: people, seed: 1, today: today(clock) });
    for await (const _ of seeded) void _;
    await withClient(app.config.databaseUrl, async (client) => {
      await client.query(`
        insert into identity.sessions (token_sha256, user_id, label, created_on, last_seen_on, ends_on)
          select sha256(id::text::bytea), id, '', last_seen_on, last_seen_on, last_seen_on + 30
            from identity.users order by random();
        insert into identity.devices select sha256(id::text::bytea), id, last_seen_on from identity.users order by random();
        insert into identity.phone_index (key_id, idx, user_id)
          select 1, sha256(id::text::bytea), id from identity.users order by random();
        create table public.written (n bigserial, name text, id bigint);
        create function public.tell() returns trigger language plpgsql security definer as $$
        begin
          insert into public.written (name, id)
          values (tg_table_name, coalesce(case when tg_argv[0] = 'id' then (to_jsonb(new) ->> 'id')::bigint end,
                                          (to_jsonb(new) ->> 'user_id')::bigint));
          return new;
        end $$;
        create trigger told before update on identity.users for each row execute function public.tell('id');
        create trigger told before update on identity.sessions for each row execute function public.tell('id');
        create trigger told before update on identity.devices for each row execute function public.tell();
        create trigger told before update on identity.phone_index for each row execute function public.tell();
        analyze identity.users, identity.sessions, identity.devices, identity.phone_index;`);
    });
    const sessions = await db.identity
      .selectFrom('identity.sessions')
      .select(['id', 'userId'])
      .orderBy('tokenSha256')
      .execute();
    const visits = createVisitsService(app.deps);
    for (const { id, userId } of sessions) await visits.note({ sessionId: id, userId });
    app.clock.advance(dayMs);
    await writeVisits(app);
    const { rows: told } = await withClient(app.config.databaseUrl, (client) =>
      client.query<{ name: string; ids: string[] }>(
        'select name, array_agg(id order by n) as ids from public.written group by name',
      ),
    );
    const written = Object.fromEntries(told.map(({ name, ids }) => [name, ids.map(Number)]));
    const everybody = Array.from({ length: people }, (_, n) => n + 1);
    for (const name of ['users', 'devices', 'phone_index']) expect(written[name]).toEqual(everybody);
    const sessionsOf = (from: number, to: number) =>
      sessions
        .filter(({ userId }) => userId > from && userId <= to)
        .map(({ id }) => Number(id))
        .toSorted((a, b) => a - b);
    expect(written['sessions']).toEqual(
      [0, together, 2 * together].flatMap((from) => sessionsOf(from, from + together)),
    );
    // More than one transaction, and the later one has the higher ids.
    const { rows: parts } = await withClient(app.config.databaseUrl, (client) =>
      client.query<{ first: number; last: number }>(
        'select min(id)::int as first, max(id)::int as last from identity.users group by xmin::text order by 1',
      ),
    );
    expect(parts).toEqual([
      { first: 1, last: together },
      { first: together + 1, last: 2 * together },
      { first: 2 * together + 1, last: people },
    ]);
  });
});
