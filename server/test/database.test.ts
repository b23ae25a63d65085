import { createHash } from 'node:crypto';
import {
  acceptMatch,
  changeUsername,
  getSelf,
  listSessions,
  matchSuggestions,
  react,
  rejectMatch,
  reportVent,
  updateDetails,
} from '@unsaid/contract';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDatabaseUnavailable, transaction } from '../src/platform/db.ts';
import { createKeys } from '../src/platform/keys.ts';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { createSeals } from '../src/platform/seals.ts';
import { startTestApp, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { makeComment, makeUser, makeVent, runJob } from './make.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('roles', () => {
  const rooms = ['identity', 'content', 'matching'];

  test('each role reads and writes its own room and cannot read the others', async () => {
    await withClient(app.config.databaseUrl, async (client) => {
      for (const role of rooms) {
        for (const room of rooms) {
          const { rows } = await client.query<{ can: boolean; table: string }>(
            `select tablename as table,
                    has_schema_privilege($1, $2, 'usage') and
                    has_table_privilege($1, format('%I.%I', schemaname, tablename), 'select,insert,update,delete') as can
               from pg_tables where schemaname = $2`,
            [`unsaid_${role}`, room],
          );
          expect(rows.length).toBeGreaterThan(0);
          for (const { can, table } of rows)
            expect([role, room, table, can]).toEqual([role, room, table, role === room]);
        }
      }
    });
  });

  test('the pools of the application run as those roles and own nothing', async () => {
    for (const role of rooms as ('identity' | 'content' | 'matching')[]) {
      const { rows } = await sql<{ currentUser: string }>`select current_user`.execute(app.deps.db[role]);
      expect(rows[0]?.currentUser).toBe(`unsaid_${role}`);
    }
    const owned = await withClient(app.config.databaseUrl, (client) =>
      client.query(
        `select 1 from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname like 'unsaid_%'`,
      ),
    );
    expect(owned.rowCount).toBe(0);
  });
});

/** Serial numbers of content's own rows that no foreign key declares, because what they point at may be gone. */
const ownNumbers = new Set([
  'content.reports.vent_id',
  'content.idempotency.result_id',
  // A keyed hash of the two who are paired.
  'matching.match_pairs.id',
]);

/** What stands on both sides, and every big number on the content side that could be an account. */
async function compareRooms(
  client: pg.Client,
): Promise<{ shared: string[]; numbers: string[]; compared: number }> {
  const columnsOf = async (rooms: string[]) => {
    const { rows } = await client.query<{ name: string; table: string; type: string; isSerial: boolean }>(
      `select c.column_name as name, c.table_schema || '.' || c.table_name as table, c.udt_name as type,
              c.is_identity = 'YES' or exists (
                select 1 from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey)
                 where k.contype = 'f' and k.conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
                   and a.attname = c.column_name) as "isSerial"
         from information_schema.columns c where c.table_schema = any($1)`,
      [rooms],
    );
    return rows;
  };
  const valuesOf = async (columns: { name: string; table: string }[]): Promise<Set<string>> => {
    const values = new Set<string>();
    for (const { name, table } of columns) {
      const { rows } = await client.query<{ value: string | null }>(
        `select distinct "${name}"::text as value from ${table}`,
      );
      for (const { value } of rows) if (value !== null && value !== '' && value !== '{}') values.add(value);
    }
    return values;
  };
  // Truth values and days are shared by everyone; counters are small numbers. They join nothing.
  const isTelling = ({ type }: { type: string }) => !['bool', 'date', 'int2', 'int4'].includes(type);
  const identity = await valuesOf((await columnsOf(['identity'])).filter(isTelling));
  const elsewhere = (await columnsOf(['content', 'matching']))
    .filter(isTelling)
    .filter(({ isSerial, table, name }) => !isSerial && !ownNumbers.has(`${table}.${name}`));
  const numbers = elsewhere
    .filter(({ type }) => type === 'int8')
    .map(({ table, name }) => `${table}.${name}`);
  const values = await valuesOf(elsewhere.filter(({ type }) => type !== 'int8'));
  return {
    shared: [...values].filter((value) => identity.has(value)),
    numbers,
    compared: identity.size + values.size,
  };
}

test('a dump alone joins nothing across the rooms: no foreign key, no equal values, no account but under a named comment', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => makeUser(app)));
  const vents: string[] = [];
  for (const [count, person] of people.entries()) {
    await app.call(changeUsername, { as: person, body: { newUsername: `someone_${count}` } });
    await app.call(updateDetails, {
      as: person,
      body: { allowComments: count % 2 === 0, bio: `bio ${count}`, interests: [`interest ${count}`] },
    });
    vents.push((await makeVent(app, person, { hashtags: [`tag ${count}`] })).id);
    const earlier = vents[count - (count % 2)] ?? '';
    await app.call(react, { as: person, body: { ventId: earlier, reactionType: 'hug' } });
    await app.call(reportVent, { as: person, body: { ventId: earlier, reason: 'Spam' } });
    await makeComment(app, person, earlier, { text: `named ${count}` });
    await makeComment(app, person, earlier, { text: `unnamed ${count}`, anonymous: true });
  }
  await runJob(app, 'rebuild-match-profiles');
  for (const as of people) {
    const [liked, disliked] = (await app.call(matchSuggestions, { as })).body.matches;
    if (liked) await app.call(acceptMatch, { as, body: { matchId: liked._id } });
    if (disliked) await app.call(rejectMatch, { as, body: { matchId: disliked._id } });
  }
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows: foreignKeys } = await client.query(
      `select 1 from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
        where k.contype = 'f' and a.relnamespace <> b.relnamespace`,
    );
    expect(foreignKeys).toEqual([]);
    const found = await compareRooms(client);
    expect(found.compared).toBeGreaterThan(250);
    expect(found.shared).toEqual([]);
    expect(found.numbers).toEqual(['content.comments.user_id']);

    // And it would have been seen: an account's number, or anything else of it, beside a vent.
    await client.query('begin');
    await client.query('alter table content.vents add column writer bigint, add column seed bytea');
    await client.query('update content.vents set seed = (select author_seed from identity.users limit 1)');
    const planted = await compareRooms(client);
    expect(planted.numbers).toContain('content.vents.writer');
    expect(planted.shared).toHaveLength(1);
    await client.query('rollback');
  });
});

test('no row anywhere holds an account together with an author, reactor, comment, match or pair key, nor two of these', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from content.comments where user_id is not null and (writer_key is not null or is_author)`,
    );
    expect(rows[0]?.count).toBe(0);
    const { rows: tables } = await client.query(
      `select table_schema, table_name from information_schema.columns where table_schema in ('identity', 'content', 'matching')
        group by 1, 2 having bool_or(column_name = 'user_id') and bool_or(column_name in ('author_key', 'reactor_key', 'match_key', 'a_key', 'b_key', 'reporter_key'))`,
    );
    expect(tables).toEqual([]);
    // One person has another key in each of these, so that none of them can be laid beside another.
    const { rows: keys } = await client.query<{ key: Buffer; kind: string }>(
      `select distinct author_key as key, 'author' as kind from content.vents
       union select writer_key, 'comment' from content.comments where writer_key is not null and not is_author
       union select slot_key, 'slot' from content.comments where slot_key is not null
       union select taken_key, 'taken' from content.taken_slots
       union select match_key, 'match' from matching.match_profiles
       union select a_key, 'pair' from matching.match_pairs union select b_key, 'pair' from matching.match_pairs`,
    );
    const kinds = Map.groupBy(keys, ({ key }) => key.toString('hex'));
    expect(new Set(keys.map(({ kind }) => kind)).size).toBe(6);
    for (const [, held] of kinds) expect(held).toHaveLength(1);
    // The database itself refuses the one place where both kinds of column stand side by side.
    await expect(
      client.query(
        `insert into content.comments (vent_id, user_id, writer_key, is_author, body, created_at)
         select id, 1, author_key, false, 'x', now() from content.vents limit 1`,
      ),
    ).rejects.toThrow(/check constraint/u);
    // A slot is for what was said as Anonymous alone.
    await expect(
      client.query(
        `insert into content.comments (vent_id, user_id, slot_key, is_author, body, created_at)
         select id, 1, author_key, false, 'x', now() from content.vents limit 1`,
      ),
    ).rejects.toThrow(/comments_slot_masked/u);
  });
});

test('moments on the identity side are days', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select table_name, column_name from information_schema.columns
        where table_schema in ('identity', 'matching') and data_type like '%time%'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('seals', () => {
  const seals = createSeals(createKeys([{ id: 1, bytes: Buffer.alloc(32, 7) }]));

  test('ids open to what was sealed, and nothing else opens', () => {
    for (const id of [1n, 2n, 2n ** 40n, 2n ** 62n]) expect(seals.user.open(seals.user.seal(id))).toBe(id);
    expect(seals.user.open(seals.session.seal(1n))).toBeNull();
    let opened = 0;
    for (let tries = 0; tries < 20_000; tries += 1) {
      const forged = createHash('sha256').update(String(tries)).digest().subarray(0, 16);
      if (seals.user.open(forged.toString('base64url')) !== null) opened += 1;
    }
    expect(opened).toBe(0);
  });

  test('an id has one spelling', () => {
    const sealed = seals.user.seal(5n);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => sealed.slice(0, -1) + last)
      .filter((spelling) => spelling !== sealed);
    expect(others.filter((spelling) => seals.user.open(spelling) === 5n)).toEqual([]);
    expect(seals.user.open(`${sealed}=`)).toBeNull();
  });

  test('ids show no order: their rank does not follow the order of creation', () => {
    const count = 2000;
    const sealed = Array.from({ length: count }, (_, n) => seals.user.seal(BigInt(n + 1)));
    const rank = new Map(sealed.toSorted().map((id, position) => [id, position]));
    const distance = sealed.reduce((sum, id, n) => sum + ((rank.get(id) ?? 0) - n) ** 2, 0);
    const correlation = 1 - (6 * distance) / (count * (count ** 2 - 1));
    expect(Math.abs(correlation)).toBeLessThan(0.1);
    expect(new Set(sealed).size).toBe(count);
  });

  test('a visit opens on its day alone, and is another on every day', () => {
    const [day, next] = ['2026-11-15', '2026-11-16'];
    const visitor = { sessionId: 7n, userId: 2n ** 40n };
    expect(seals.openVisit(day, seals.visit(day, visitor))).toEqual(visitor);
    expect(seals.visit(next, visitor)).not.toBe(seals.visit(day, visitor));
    expect(seals.openVisit(next, seals.visit(day, visitor))).toBeNull();
    for (const text of ['', 'x', seals.session.seal(7n)]) expect(seals.openVisit(day, text)).toBeNull();
  });

  test('another master key gives other ids and keys, and a ring keeps those of its first key', () => {
    const first = { id: 1, bytes: Buffer.alloc(32, 7) };
    const second = { id: 2, bytes: Buffer.alloc(32, 8) };
    expect(createSeals(createKeys([second])).user.seal(1n)).not.toBe(seals.user.seal(1n));
    const rotated = createSeals(createKeys([second, first]));
    expect(rotated.user.seal(1n)).toBe(seals.user.seal(1n));
    expect(rotated.matchKey(1n)).toEqual(seals.matchKey(1n));
    const author = Buffer.alloc(16, 3);
    expect(rotated.slotKey(author, 1)).toEqual(seals.slotKey(author, 1));
    expect(rotated.takenKey(author, 1)).toEqual(seals.takenKey(author, 1));
  });
});

test('what follows a commit does not follow a rollback', async () => {
  const effects: string[] = [];
  await transaction(app.deps.db.identity, async (_tx, afterCommit) => {
    afterCommit(() => void effects.push('kept'));
    expect(effects).toEqual([]);
  });
  await transaction(app.deps.db.identity, async (_tx, afterCommit) => {
    afterCommit(() => void effects.push('lost'));
    throw new Error('no');
  }).catch(() => {});
  expect(effects).toEqual(['kept']);
});

test('a connection lost between two statements of a transaction fails that transaction, not the process', async () => {
  const lost = transaction(app.deps.db.content, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    const pid = rows[0]?.pid;
    const { ownerPool } = app.deps;
    await ownerPool.query('select pg_terminate_backend($1)', [pid]);
    // Nothing is being asked on it when the news comes.
    const count = async () =>
      (await ownerPool.query('select from pg_stat_activity where pid = $1', [pid])).rowCount;
    await expect.poll(count).toBe(0);
    await sql`select 1`.execute(tx);
  });
  await expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
  expect((await sql<{ one: number }>`select 1 as one`.execute(app.deps.db.content)).rows).toEqual([
    { one: 1 },
  ]);
});

test('statements are prepared once and by name', async () => {
  const person = await makeUser(app);
  for (let times = 0; times < 3; times += 1) await app.call(getSelf, { as: person });
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(
    app.deps.db.identity,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ name }) => /^[A-Za-z0-9_-]{20}$/u.test(name))).toBe(true);
});

test('migrating again changes nothing, and several at once do not collide', async () => {
  const url = new URL(app.config.databaseUrl);
  url.pathname += '_again';
  try {
    await migrate(url.href, createLogger('silent'));
    await Promise.all([1, 2, 3].map(() => migrate(url.href, createLogger('silent'))));
    const { rows } = await withClient(url.href, (client) =>
      client.query<{ count: number }>('select count(*)::int as count from public.migrations'),
    );
    expect(rows[0]?.count).toBeGreaterThan(3);
  } finally {
    await withClient(app.config.databaseUrl, (client) =>
      client.query(`drop database if exists ${pg.escapeIdentifier(url.pathname.slice(1))} with (force)`),
    );
  }
});

test('nothing in Redis can be matched with a row of Postgres without the master key', async () => {
  const person = await makeUser(app);
  for (let times = 0; times < 3; times += 1) await app.call(getSelf, { as: person });
  const dump: string[] = [];
  for (const key of await app.redis.keys(`${app.config.redisPrefix}*`)) {
    dump.push(key);
    const type = await app.redis.type(key);
    if (type === 'string') dump.push(String(await app.redis.get(key)));
    if (type === 'set') dump.push(...(await app.redis.smembers(key)));
  }
  const text = dump.join('\n');
  expect(text).toContain('sess:');
  expect(text).toMatch(/visits:\d{4}-\d\d-\d\d\n[\w-]{22}/u);
  expect(text).toContain('bucket:callsPerUser:');
  const spellings = await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ value: Buffer }>(
      `select token_sha256 as value from identity.sessions union all select author_seed from identity.users
       union all select idx from identity.phone_index union all select device_key from identity.devices
       union all select author_key from content.pens union all select match_key from matching.match_profiles
       union all select a_key from matching.match_pairs`,
    );
    return rows.flatMap(({ value }) =>
      (['hex', 'base64', 'base64url'] as const).map((form) => value.toString(form)),
    );
  });
  expect(spellings.length).toBeGreaterThan(10);
  expect(spellings.filter((value) => text.includes(value))).toEqual([]);
  expect(text).not.toContain(`"${person.userId}"`);
  expect(text).not.toContain(person.user._id);
  const { body } = await app.call(listSessions, { as: person });
  for (const { _id } of body.sessions) expect(text).not.toContain(_id);
});
