import { createHash } from 'node:crypto';
import {
  acceptMatch,
  changeUsername,
  createVent,
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
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabases, transaction, type ContentDb } from '../src/platform/db.ts';
import { isDatabaseUnavailable } from '../src/platform/db-errors.ts';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { createPersons } from '../src/kernel/person-keys.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import { createVisitCodec } from '../src/identity/sessions/visit-codec.ts';
import type { ContentBase } from '../src/kernel/base.ts';
import { createPublicIds } from '../src/kernel/public-ids.ts';
import { createSpeakers } from '../src/kernel/speakers.ts';
import { keysFrom } from './keys.ts';
import type { Keys } from '../src/platform/crypto/keys.ts';
import { useTestApp } from './app.ts';
import { dropDatabase, withClient } from './db.ts';
import { makeComment, makeUser, makeVent, runJob, suspend } from './factories.ts';
import { rolesWithSchemas, schemaNames } from '../src/db/schemas.ts';
import { rolesOf } from '../src/platform/logins.ts';
import { listTables, schemasBut } from './tables.ts';

const app = useTestApp();

describe('roles:', () => {
  const everything = ['select', 'insert', 'update', 'delete'];
  /** Nobody deletes a moderator, only the counter of a passkey changes; the audit log, taken slots and data keys only grow. */
  const lesserRights: Record<string, string[]> = {
    'moderation.moderators': ['select', 'insert', 'update'],
    'moderation.passkeys': ['select', 'insert', 'update(counter)', 'delete'],
    'moderation.audit': ['select', 'insert(action,actor,at,case_id,detail)'],
    'moderation.taken_slots': ['select', 'insert'],
    'content.taken_slots': ['select', 'insert'],
    ...Object.fromEntries(schemaNames.map((schema) => [`${schema}.data_keys`, ['select', 'insert']])),
  };

  /** The console adds moderators, and signs them in. */
  const withoutConsole: Record<string, string[]> = {
    'moderation.moderators': ['select'],
    'moderation.passkeys': [],
    'moderation.sessions': ['select', 'delete'],
  };

  test('each role has the rights that it needs in its own schema, and none in the others (R33)', async () => {
    await withClient(app.config.databaseUrl, async (client) => {
      for (const { role, schema: own } of rolesWithSchemas) {
        for (const schema of schemaNames) {
          const { rows } = await client.query<{ rights: string[]; table: string }>(
            `select schemaname || '.' || tablename as table,
                    array(select coalesce(
                            case when has_table_privilege($1, oid, kind) then kind end,
                            (select kind || '(' || string_agg(attname, ',' order by attname) || ')' from pg_attribute
                              where attrelid = oid and attnum > 0 and has_column_privilege($1, oid, attname, kind)))
                        from unnest($3::text[]) with ordinality as right_to (kind, place)
                       where has_schema_privilege($1, $2, 'usage') and (has_table_privilege($1, oid, kind)
                          or kind in ('select', 'insert', 'update') and has_any_column_privilege($1, oid, kind))
                       order by place) as rights
               from pg_tables, lateral (select format('%I.%I', schemaname, tablename)::regclass::oid) as known (oid)
              where schemaname = $2`,
            [`unsaid_${role}`, schema, [...everything, 'truncate', 'references', 'trigger']],
          );
          expect(rows.length).toBeGreaterThan(0);
          for (const { rights, table } of rows) {
            const lesser = { ...lesserRights, ...(role === 'moderation' ? withoutConsole : {}) };
            const expected = own === schema ? (lesser[table] ?? everything) : [];
            expect([role, table, rights]).toEqual([role, table, expected]);
          }
        }
      }
    });
  });

  test('the connection pools of the application run as those roles and own nothing (R33)', async () => {
    for (const { role, schema } of rolesOf(app.config)) {
      const { rows } = await sql<{ currentUser: string }>`select current_user`.execute(
        app.deps.databases[schema],
      );
      expect(rows[0]?.currentUser).toBe(`unsaid_${role}`);
    }
    const owned = await withClient(app.config.databaseUrl, (client) =>
      client.query(
        // The queue is the exception: pg-boss alters its own tables, so its role owns them.
        `select 1 from pg_class c join pg_roles r on r.oid = c.relowner join pg_namespace n on n.oid = c.relnamespace
          where r.rolname like 'unsaid_%' and (r.rolname, n.nspname) not in (('unsaid_jobs', 'jobs'), ('unsaid_jobs', 'pg_toast'))`,
      ),
    );
    expect(owned.rowCount).toBe(0);
  });
});

test('a schema has its own pool and no other', () => {
  const content: Partial<ContentBase> = {};
  // @ts-expect-error: a builder of content gets no pool of identity.
  expect(content.db?.identity).toBeUndefined();
});

test('the schemas are those that are declared, and tests that read every table refuse another one', async () => {
  const tables = await withClient(app.config.databaseUrl, (client) => listTables(client));
  expect(new Set(tables.map((name) => name.split('.')[0]))).toEqual(new Set(schemaNames));
  await withClient(app.config.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('create schema planted');
    await expect(listTables(client)).rejects.toThrow('planted');
    await client.query('rollback');
  });
});

/** Ids of content rows without a foreign key, because the row they point to may be deleted. */
const ownNumbers = new Set([
  // Of a vent: the check of a foreign key would write the press into its row.
  'content.thanks.vent_id',
  // A random id.
  'matching.pairs.id',
  // Of the moderation schema itself. The case of an audit entry may have been deleted.
  'moderation.audit.seq',
  'moderation.audit.case_id',
  'moderation.passkeys.counter',
]);

/**
 * Values that occur in identity and in another schema, and every bigint column outside identity that could hold an
 * account id.
 */
async function compareSchemas(
  client: pg.Client,
): Promise<{ shared: string[]; numbers: string[]; compared: number }> {
  const columnsOf = async (names: string[]) => {
    const { rows } = await client.query<{ name: string; table: string; type: string; isSerial: boolean }>(
      `select c.column_name as name, c.table_schema || '.' || c.table_name as table, c.udt_name as type,
              c.is_identity = 'YES' or exists (
                select 1 from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey)
                 where k.contype = 'f' and k.conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
                   and a.attname = c.column_name) as "isSerial"
         from information_schema.columns c where c.table_schema = any($1)`,
      [names],
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
  // Booleans and days are the same for everyone; counters are small numbers. They join nothing.
  const canJoin = ({ type }: { type: string }) => !['bool', 'date', 'int2', 'int4'].includes(type);
  const identity = await valuesOf((await columnsOf(['identity'])).filter(canJoin));
  const elsewhere = (await columnsOf(schemasBut('identity')))
    .filter(canJoin)
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

test('a dump alone joins nothing across the schemas: no foreign key, no equal values, no account in any column (R34)', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => makeUser(app)));
  const vents: string[] = [];
  for (const [count, person] of people.entries()) {
    await app.call(changeUsername, { as: person, body: { newUsername: `someone_${count}` } });
    await app.call(updateDetails, {
      as: person,
      body: { bio: `bio ${count}`, interests: [`interest ${count}`], feelings: ['Sad', 'Happy'] },
    });
    vents.push((await makeVent(app, person, { hashtags: [`tag ${count}`] })).id);
    const sent = { title: `Sent ${count}`, text: `with a key ${count}`, emotion: 'Happy' as const };
    await app.call(createVent, {
      as: person,
      body: sent,
      headers: { 'idempotency-key': `key-${count}-of-mine` },
    });
    const earlier = vents[count - (count % 2)] ?? '';
    await app.call(react, { as: person, body: { ventId: earlier, reactionType: 'hug' } });
    await app.call(reportVent, { as: person, body: { ventId: earlier, reason: 'Spam' } });
    await makeComment(app, person, earlier, { text: `named ${count}` });
    await makeComment(app, person, earlier, { text: `unnamed ${count}`, anonymous: true });
  }
  for (const name of ['settle-todays-pairs', 'settle-ended-pairs', 'top-up-suggestions'])
    await runJob(app, name);
  await suspend(app, people[0] ?? {});
  for (const as of people.slice(1)) {
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
    const found = await compareSchemas(client);
    expect(found.compared).toBeGreaterThan(250);
    expect(found.shared).toEqual([]);
    expect(found.numbers).toEqual([]);

    // Control: an account id or another value of an account, planted on a vent, is found.
    await client.query('begin');
    await client.query('alter table content.vents add column writer bigint, add column seed bytea');
    await client.query('update content.vents set seed = (select author_seed from identity.users limit 1)');
    const planted = await compareSchemas(client);
    expect(planted.numbers).toContain('content.vents.writer');
    expect(planted.shared).toHaveLength(1);
    await client.query('rollback');
  });
});

/** Every value of every bytea column, with its column. */
async function listBytes(client: pg.Client): Promise<{ value: string; column: string; table: string }[]> {
  const { rows: columns } = await client.query<{ name: string; table: string }>(
    `select column_name as name, table_schema || '.' || table_name as table
       from information_schema.columns where table_schema = any($1) and udt_name = 'bytea'`,
    [schemaNames],
  );
  const all: { value: string; column: string; table: string }[] = [];
  for (const { name, table } of columns) {
    const { rows } = await client.query<{ value: string }>(
      `select encode(${name}, 'hex') as value from ${table} where ${name} is not null`,
    );
    all.push(...rows.map(({ value }) => ({ value, column: `${table}.${name}`, table })));
  }
  return all;
}

test('no column outside identity is named after an account, and none holds a seed or a speaker id (R34)', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows: named } = await client.query(
      `select table_schema, table_name, column_name from information_schema.columns
        where table_schema = any($1) and table_name not in ('moderators', 'sessions')
          and column_name ~ '(user|account|owner|author|phone|session|device).*(id|key|seed)$|^user|speaker_id|seed'`,
      [schemasBut('identity')],
    );
    expect(named).toEqual([]);
    const { rows: secrets } = await client.query<{ value: string }>(
      `select encode(author_seed, 'hex') as value from identity.users
       union all select encode(speaker_id, 'hex') from identity.users
       union all select lpad(to_hex(id), 16, '0') from identity.users`,
    );
    const held = (await listBytes(client)).filter(({ table }) => !table.startsWith('identity.'));
    expect(new Set(held.map(({ table }) => table)).size).toBeGreaterThan(7);
    const holdsSecret = held.filter(({ value }) => secrets.some((secret) => value.includes(secret.value)));
    expect(holdsSecret).toEqual([]);
  });
});

test('no value is in two tables, or twice in one table of content (R34)', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const all = await listBytes(client);
    const filled = new Set(all.map(({ column }) => column));
    for (const column of [
      'content.vents.speaker',
      'content.vents.slot_key',
      'content.comments.speaker',
      'content.comments.slot_key',
      'content.taken_slots.taken_key',
      'content.reactions.reactor_key',
      'moderation.cases.subject_key',
      'moderation.reports.reporter_key',
      'moderation.reports.slot_key',
      'content.idempotency.key',
      'content.idempotency.result',
      'matching.pairs.a_key',
      'matching.pairs.b_key',
      'matching.pairs.details',
      'moderation.cases.sealed_item',
      'moderation.notices.slot_key',
    ])
      expect(filled, column).toContain(column);
    const repeated = [...Map.groupBy(all, ({ value }) => value).values()].filter(
      (held) =>
        held.length > 1 &&
        // A person is in several pairs under one key, which occurs in pairs only. An entry of the audit log has the hash
        // of the one before it.
        held.some(
          ({ column }) => !/^(?:matching\.pairs\.[ab]_key|moderation\.audit\.(?:prev_)?hash)$/u.test(column),
        ),
    );
    expect(repeated).toEqual([]);
  });
});

test('only vents, held ones among them, the trending list and the data keys of content have a time finer than a day', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'content' and (data_type like '%time%' or data_type = 'interval') order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      'data_keys.made_at',
      'held_vents.goes_out_at',
      'trending.computed_at',
      'vents.created_at',
    ]);
    // Comments and idempotency keys have a day and no number that counts all of them.
    const { rows: fine } = await client.query(
      `select table_name, column_name from information_schema.columns
        where table_schema = 'content' and table_name in ('comments', 'idempotency')
          and (is_identity = 'YES' or column_default like 'nextval%')`,
    );
    expect(fine).toEqual([]);
    // A vent has its minute, as it is shown.
    const { rows: seconds } = await client.query(
      'select 1 from content.vents where extract(second from created_at) <> 0',
    );
    expect(seconds).toEqual([]);
    await expect(
      client.query(`update content.vents set created_at = created_at + interval '1 second'`),
    ).rejects.toThrow(/check constraint/u);
  });
});

test('the planner samples no seed, no hash and no text that people typed, because samples outlive their rows', async () => {
  const { rows } = await withClient(app.config.databaseUrl, (client) =>
    client.query<{ name: string }>(
      `select c.relnamespace::regnamespace || '.' || c.relname || '.' || a.attname as name
         from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relkind = 'r' and a.attnum > 0 and a.attstattarget <> 0
          and (c.relnamespace = 'identity'::regnamespace and a.atttypid in ('bytea'::regtype, 'text'::regtype, 'text[]'::regtype)
               or c.relnamespace = 'content'::regnamespace and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
               or c.relnamespace = 'matching'::regnamespace and a.atttypid in ('bytea'::regtype, 'bigint'::regtype, 'text'::regtype)
               or c.relnamespace = 'moderation'::regnamespace and a.atttypid = 'bytea'::regtype
               or a.attname = 'place')
        order by 1`,
    ),
  );
  // Columns with few fixed values. The search words are sampled again every night.
  expect(rows.map(({ name }) => name)).toEqual([
    'content.comments.state',
    'content.comments.voice',
    'content.failed_rows.job',
    'content.reactions.kind',
    'content.vents.emotion',
    'content.vents.state',
    'identity.failed_rows.job',
    'identity.users.match_preference',
    'matching.failed_rows.job',
  ]);
});

test('matching stores only pairs, and everything people wrote in a pair is encrypted', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ column: string }>(
      `select concat_ws(' ', table_name, column_name, data_type) as column
         from information_schema.columns where table_schema = 'matching' order by table_name desc, ordinal_position`,
    );
    expect(rows.map(({ column }) => column)).toEqual([
      'pairs id bigint',
      'pairs a_key bytea',
      'pairs b_key bytea',
      'pairs is_asked_by_a boolean',
      'pairs week date',
      'pairs is_fresh boolean',
      'pairs details bytea',
      'failed_rows job text',
      'failed_rows row_mark bytea',
      'failed_rows tries smallint',
      'data_keys purpose text',
      'data_keys no smallint',
      'data_keys total smallint',
      'data_keys made_at timestamp with time zone',
      'data_keys wrapped bytea',
    ]);
    const { rows: sizes } = await client.query<{ size: number }>(
      'select distinct octet_length(details) as size from matching.pairs',
    );
    // Padded to one size, whatever the quotes.
    expect(sizes).toHaveLength(1);
  });
});

test('a profile stores up to three feelings', async () => {
  const { userId } = await makeUser(app);
  await withClient(app.config.databaseUrl, async (client) => {
    const set = (feelings: number) =>
      client.query('update identity.users set feelings = $2 where id = $1', [String(userId), feelings]);
    const allowed: number[] = [];
    for (let bits = -1; bits <= 64; bits += 1)
      await set(bits).then(
        () => allowed.push(bits),
        (error: Error) => expect(error.message).toMatch(/check constraint "users_feelings_check"/u),
      );
    // Zero, one, two or three of six. The first set of four is 15.
    expect(allowed).toHaveLength(42);
    expect(allowed).not.toContain(0b1111);
  });
});

test.each([
  ['the two in another order', { a: 2, b: 1 }],
  ['a person and themselves', { a: 1, b: 1 }],
  ['a key that is not one block long', { a: 1, b: 2, size: 8 }],
])('the database rejects a pair with %s', async (_, { a, b, size = 16 }: PairCase) => {
  await withClient(app.config.databaseUrl, async (client) => {
    const insert = (one: number, other: number, bytes: number) =>
      client.query(
        `insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, details)
         values (1, $1, $2, true, '2026-11-09', '')`,
        [Buffer.alloc(bytes, one), Buffer.alloc(bytes, other)],
      );
    await client.query('begin');
    await insert(1, 2, 16);
    await client.query('rollback');
    await expect(insert(a, b, size)).rejects.toThrow(/check constraint/u);
  });
});

interface PairCase {
  readonly a: number;
  readonly b: number;
  readonly size?: number;
}

test('times outside content and moderation are days (SC-30)', async () => {
  await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select table_name, column_name from information_schema.columns
        where table_schema = any($1) and data_type like '%time%'
          -- No row is of a person.
          and table_name <> 'data_keys'`,
      [schemasBut('content', 'moderation')],
    );
    expect(rows).toEqual([]);
  });
});

describe('public ids:', () => {
  const fixedKeys = keysFrom(Buffer.alloc(32, 7));
  const publicIds = createPublicIds(fixedKeys);
  const visits = createVisitCodec(fixedKeys);

  test('an id decodes to the value it encodes, and nothing else decodes (SC-8)', () => {
    for (const id of [1n, 2n, 2n ** 40n, 2n ** 62n])
      expect(publicIds.user.decode(publicIds.user.encode(id))).toBe(id);
    expect(publicIds.user.decode(publicIds.session.encode(1n))).toBeNull();
    let opened = 0;
    for (let tries = 0; tries < 20_000; tries += 1) {
      const forged = createHash('sha256').update(String(tries)).digest().subarray(0, 16);
      if (publicIds.user.decode(forged.toString('base64url')) !== null) opened += 1;
    }
    expect(opened).toBe(0);
  });

  test('an id has one spelling (SC-8)', () => {
    const sealed = publicIds.user.encode(5n);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => sealed.slice(0, -1) + last)
      .filter((spelling) => spelling !== sealed);
    expect(others.filter((spelling) => publicIds.user.decode(spelling) === 5n)).toEqual([]);
    expect(publicIds.user.decode(`${sealed}=`)).toBeNull();
  });

  test('ids reveal no order: their rank does not follow the order of creation (SC-8)', () => {
    const count = 2000;
    const sealed = Array.from({ length: count }, (_, n) => publicIds.user.encode(BigInt(n + 1)));
    const rank = new Map(sealed.toSorted().map((id, position) => [id, position]));
    const distance = sealed.reduce((sum, id, n) => sum + ((rank.get(id) ?? 0) - n) ** 2, 0);
    const correlation = 1 - (6 * distance) / (count * (count ** 2 - 1));
    expect(Math.abs(correlation)).toBeLessThan(0.1);
    expect(new Set(sealed).size).toBe(count);
  });

  test('a visit decodes on its own day only, and its encoding is different on every day', () => {
    const [day, next] = ['2026-11-15', '2026-11-16'];
    const visitor = { sessionId: 7n, userId: 2n ** 40n };
    expect(visits.decode(day, visits.encode(day, visitor))).toEqual(visitor);
    expect(visits.encode(next, visitor)).not.toBe(visits.encode(day, visitor));
    expect(visits.decode(next, visits.encode(day, visitor))).toBeNull();
    for (const text of ['', 'x', publicIds.session.encode(7n)]) expect(visits.decode(day, text)).toBeNull();
  });

  test('other data keys give other ids and keys', () => {
    expect(createPublicIds(keysFrom(Buffer.alloc(32, 8))).user.encode(1n)).not.toBe(
      publicIds.user.encode(1n),
    );
    const row = { authorSeed: Buffer.alloc(32, 3), speakerId: Buffer.alloc(8, 4) };
    const keysUnder = (keys: Keys) => {
      const person = createPersons(keys)(row);
      return [
        ...person.slotKeys('vent', [1]),
        ...person.slotKeys('comment', [1]),
        ...person.takenKeys('vent', [1]),
        ...person.takenKeys('comment', [1]),
        ...person.reactorKeys(1n, ['heart', 'hug', 'listen']),
        person.reporterKeyOn(createSubjects(keys).keyOf({ kind: 'vent', ventId: 1n })),
        ...person.slotKeys('report', [1]),
        ...person.takenKeys('report', [1]),
        ...person.takenKeys('notice', [1]),
        ...person.noticeSlots(),
        ...(['vent', 'named', 'anonymous', 'author'] as const).map((voice) =>
          createSpeakers(keys).encrypt({ voice, ventId: 1n, no: 1 }, row.speakerId, 1),
        ),
      ].map((key) => key.toString('hex'));
    };
    const all = [...keysUnder(fixedKeys), ...keysUnder(keysFrom(Buffer.alloc(32, 8)))];
    expect(new Set(all).size).toBe(all.length);
  });
});

test('an afterCommit callback does not run after a rollback', async () => {
  const effects: string[] = [];
  await transaction(app.deps.databases.identity, async (_tx, afterCommit) => {
    afterCommit(() => void effects.push('kept'));
    expect(effects).toEqual([]);
  });
  await transaction(app.deps.databases.identity, async (_tx, afterCommit) => {
    afterCommit(() => void effects.push('lost'));
    throw new Error('no');
  }).catch(() => {});
  expect(effects).toEqual(['kept']);
});

test('a connection lost between two statements of a transaction fails that transaction, not the process', async () => {
  const lost = transaction(app.deps.databases.content, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    const pid = rows[0]?.pid;
    await withClient(app.config.databaseUrl, async (client) => {
      await client.query('select pg_terminate_backend($1)', [pid]);
      // The connection is idle when it is terminated.
      const count = async () =>
        (await client.query('select from pg_stat_activity where pid = $1', [pid])).rowCount;
      await expect.poll(count).toBe(0);
    });
    await sql`select 1`.execute(tx);
  });
  await expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
  expect((await sql<{ one: number }>`select 1 as one`.execute(app.deps.databases.content)).rows).toEqual([
    { one: 1 },
  ]);
});

test('a second connection inside of a transaction is found, unless it was declared', async () => {
  let found = 0;
  const { config } = app;
  const databases = openDatabases({
    databaseUrl: config.databaseUrl,
    roleUrls: config.roleUrls,
    services: config.services,
    poolSize: 2,
    timeoutMs: 0,
    logger: createLogger('silent'),
    onSecondConnection: () => void (found += 1),
  });
  onTestFinished(() => databases.close());
  const count = (db: ContentDb) => sql`select count(*) from content.vents`.execute(db);
  const alsoTakes = ['content'] as const;
  await transaction(databases.identity, async () => void (await count(databases.content)), { alsoTakes });
  await count(databases.content);
  expect(found).toBe(0);
  await transaction(databases.identity, async () => void (await count(databases.content)));
  await transaction(databases.content, async () => void (await count(databases.content)));
  expect(found).toBe(2);
});

test('statements that a transaction asks for at once are sent one after the other', async () => {
  // Why: from its version 9 on pg refuses a statement beside another one of the same connection.
  const running = new Map<pg.Client, number>();
  let most = 0;
  const send = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...words: unknown[]
  ) {
    const result: unknown = Reflect.apply(send, this, words);
    if (!(result instanceof Promise)) return result;
    const count = (running.get(this) ?? 0) + 1;
    running.set(this, count);
    most = Math.max(most, count);
    return result.finally(() => running.set(this, (running.get(this) ?? 0) - 1)) as unknown;
  });
  onTestFinished(() => spy.mockRestore());
  const one = (tx: ContentDb, n: number) =>
    sql<{ n: number }>`select ${n}::int as n`.execute(tx).then(({ rows }) => rows[0]?.n);
  const answers = await transaction(app.deps.databases.content, (tx) =>
    Promise.all([1, 2, 3].map((n) => one(tx, n))),
  );
  expect(answers).toEqual([1, 2, 3]);
  expect(most).toBe(1);
});

test('statements are prepared once, by name', async () => {
  const person = await makeUser(app);
  for (let times = 0; times < 3; times += 1) await app.call(getSelf, { as: person });
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(
    app.deps.databases.identity,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ name }) => /^[A-Za-z0-9_-]{20}$/u.test(name))).toBe(true);
});

test('migrating again changes nothing, and concurrent migrations do not collide', async () => {
  const url = new URL(app.config.databaseUrl);
  url.pathname += '_again';
  try {
    await migrate(url.href, createLogger('silent'));
    await Promise.all([1, 2, 3].map(() => migrate(url.href, createLogger('silent'))));
    const { rows } = await withClient(url.href, (client) =>
      client.query<{ count: number }>('select count(*)::int as count from public.migrations'),
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(schemaNames.length);
  } finally {
    await withClient(app.config.databaseUrl, (client) =>
      client.query(`drop database if exists ${pg.escapeIdentifier(url.pathname.slice(1))} with (force)`),
    );
  }
});

test.each(schemaNames)(
  'the migrations of %s run alone in an empty database and create the same tables',
  async (schema) => {
    const url = new URL(app.config.databaseUrl);
    url.pathname += `_${schema}_alone`;
    const describeTables = (client: pg.Client) =>
      client.query<{ column: string }>(
        `select concat_ws(' ', table_schema, table_name, column_name, data_type, is_nullable) as column
         from information_schema.columns where table_schema = any($1) order by 1`,
        [schemaNames],
      );
    try {
      await migrate(url.href, createLogger('silent'), { schemas: [schema] });
      const [alone, together] = [
        await withClient(url.href, describeTables),
        await withClient(app.config.databaseUrl, describeTables),
      ];
      expect(alone.rows.length).toBeGreaterThan(5);
      expect(alone.rows).toEqual(together.rows.filter(({ column }) => column.startsWith(`${schema} `)));
      const { rows: applied } = await withClient(url.href, (client) =>
        client.query<{ name: string }>('select name from public.migrations'),
      );
      for (const { name } of applied) expect(name.startsWith(`${schema}/`)).toBe(true);
    } finally {
      await dropDatabase(url.pathname.slice(1));
    }
  },
);

test('no value in Redis can be matched with a row of Postgres without the master key (R34, SC-30)', async () => {
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
  expect(text).toMatch(/visits:\{\w\w\}:\d{4}-\d\d-\d\d\n[\w-]{22}/u);
  expect(text).toContain('bucket:callsPerUser:');
  const spellings = await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ value: Buffer }>(
      `select token_key as value from identity.sessions union all select author_seed from identity.users
       union all select idx from identity.phone_index union all select device_key from identity.devices
       union all select speaker_id from identity.users union all select taken_key from content.taken_slots
       union all select slot_key from content.vents union all select speaker from content.comments
       union all select slot_key from moderation.notices union all select a_key from matching.pairs
       union all select b_key from matching.pairs`,
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
