import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, databaseUrl, dropDatabase } from './db.ts';

/** What the schema of moderation refuses by itself, whatever the application does. */

type Client = 'owner' | 'moderation' | 'content' | 'identity' | 'matching';

const names: readonly Client[] = ['owner', 'moderation', 'content', 'identity', 'matching'];
const clients = new Map<Client, pg.Client>();
let database = '';

beforeAll(async () => {
  database = await createTestDatabase();
  for (const name of names) {
    const client = new pg.Client({
      connectionString: databaseUrl(database),
      options: name === 'owner' ? '-c timezone=UTC' : `-c timezone=UTC -c role=unsaid_${name}`,
    });
    await client.connect();
    clients.set(name, client);
  }
});

afterAll(async () => {
  for (const client of clients.values()) await client.end();
  await dropDatabase(database);
});

function as(name: Client): pg.Client {
  const client = clients.get(name);
  if (!client) throw new Error(`no connection for ${name}`);
  return client;
}

/** The code, constraint and message of the error, or `done`. Nothing stays. */
async function outcomeOf(name: Client, statement: string, values: unknown[] = []): Promise<string> {
  const client = as(name);
  await client.query('begin');
  try {
    await client.query(statement, values);
    return 'done';
  } catch (error) {
    const {
      code,
      constraint = '',
      message,
    } = error as { code: string; constraint?: string; message: string };
    return `${code} ${constraint} ${message}`;
  } finally {
    await client.query('rollback');
  }
}

const denied = /^42501 /u;

async function tablesOf(): Promise<{ schema: string; table: string }[]> {
  const { rows } = await as('owner').query<{ schema: string; table: string }>(
    `select schemaname as schema, tablename as table from pg_tables
      where schemaname !~ '^(pg_|information_schema$)' order by 1, 2`,
  );
  return rows;
}

describe('grants:', () => {
  test('moderation reaches no table of another schema, and no other role reaches one of moderation (R33)', async () => {
    let checks = 0;
    for (const { schema, table } of await tablesOf()) {
      const name = `${schema}.${table}`;
      const verbs = [
        // Readiness counts the migrations of each database.
        ...(name === 'public.migrations' ? [] : [`select * from ${name} limit 1`]),
        `delete from ${name}`,
        `truncate ${name}`,
        `lock table ${name} in share mode`,
      ];
      const others: Client[] = schema === 'moderation' ? ['content', 'identity', 'matching'] : ['moderation'];
      for (const other of others) {
        for (const verb of verbs) {
          expect(await outcomeOf(other, verb), `${other}: ${verb}`).toMatch(denied);
          checks += 1;
        }
      }
    }
    expect(checks).toBeGreaterThanOrEqual(180);
  });

  test.each([
    'create table moderation.x (a int)',
    'create schema x',
    'drop trigger refuse_change on moderation.audit',
    'alter table moderation.audit disable trigger all',
    'set session_replication_role = replica',
    // What whoever took over the api would do: a lead with a fresh proof, or more rights for somebody who is there.
    `insert into moderation.moderators (alias, role) values ('planted', 'lead')`,
    `insert into moderation.sessions (token_key, moderator_id, proven_at, seen_at, ends_at, seal)
       values ('\\x00', 1, now(), now(), now(), '\\x00')`,
    `update moderation.moderators set role = 'lead'`,
    `update moderation.sessions set proven_at = now()`,
    `insert into moderation.passkeys (credential_id, moderator_id, public_key, added_on, seal)
       values ('\\x00', 1, '\\x00', now(), '\\x00')`,
    'delete from moderation.moderators',
    `update moderation.passkeys set public_key = '\\x00'`,
    `update moderation.passkeys set moderator_id = 1`,
    `update moderation.audit set actor = 'x'`,
    'delete from moderation.audit',
    'truncate moderation.audit',
    `insert into moderation.audit (at, actor, action, hash) values (now(), 'asha', 'signed_in', '\\x00')`,
    `insert into moderation.audit (at, actor, action, prev_hash) values (now(), 'asha', 'signed_in', '\\x00')`,
    `insert into moderation.audit (seq, at, actor, action) values (7, now(), 'asha', 'signed_in')`,
    'create or replace function moderation.audit_hash(a moderation.audit) returns bytea language sql as $$ select null::bytea $$',
  ])('the role of moderation may not: %s (R33)', async (statement) => {
    expect(await outcomeOf('moderation', statement)).toMatch(/^42501 /u);
  });

  test('no foreign key leaves its schema, and each has an index that begins with it', async () => {
    const crossing = await as('owner').query(
      `select k.conname from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
        where k.contype = 'f' and a.relnamespace <> b.relnamespace and a.relnamespace <> 'jobs'::regnamespace`,
    );
    expect(crossing.rows).toEqual([]);
    const bare = await as('owner').query(
      `select k.conname from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'moderation'::regnamespace
          and not exists (select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1])`,
    );
    // `unique (case_id, reporter_key)` serves the reports of a case.
    expect(bare.rows).toEqual([]);
  });

  test('no column of moderation is named after a user (R34)', async () => {
    const { rows } = await as('owner').query(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'moderation' and column_name ~ 'user|author_key|phone|address|username|vent|speaker'`,
    );
    expect(rows).toEqual([]);
  });
});

const hex = (bytes: number) => `'\\x${randomBytes(bytes).toString('hex')}'`;

let moderatorCount = 0;
async function addModerator(): Promise<number> {
  moderatorCount += 1;
  const { rows } = await as('owner').query<{ id: number }>(
    `insert into moderation.moderators (alias, role) values ($1, 'moderator') returning id`,
    [`m-${moderatorCount}`],
  );
  return rows[0]?.id ?? 0;
}

async function openCase(): Promise<bigint> {
  const { rows } = await as('moderation').query<{ id: string }>(
    `insert into moderation.cases (subject_key, subject_kind, source, policy, severity, language, opened_at, due_at)
     values ($1, 'vent', 'report', 'harassment', 3, 'en', now(), now() + interval '1 hour') returning id`,
    [randomBytes(16)],
  );
  return BigInt(rows[0]?.id ?? 0);
}

const set = (id: bigint, change: string) => `update moderation.cases set ${change} where id = ${id}`;
const removed = (by: number, rest = '') =>
  `state = 'decided', outcome = 'remove', decided_at = now(), decided_by = ${by}, appeal_until = now() + interval '30 days'${rest}`;

describe('a case', () => {
  test('is open once for an item, and is decided by a person, with a rule, a window and an end', async () => {
    const by = await addModerator();
    const id = await openCase();
    expect(
      await outcomeOf(
        'moderation',
        `insert into moderation.cases (subject_key, subject_kind, source, policy, severity, language, opened_at, due_at)
         select subject_key, 'vent', 'report', 'spam_scam', 2, 'en', now(), now() from moderation.cases where id = ${id}`,
      ),
    ).toMatch(/cases_live/u);
    const refusals: readonly (readonly [string, RegExp])[] = [
      [
        `state = 'decided', outcome = 'remove', decided_at = now(), appeal_until = now() + interval '30 days'`,
        /cases_decided_by_people/u,
      ],
      [`state = 'decided', outcome = 'remove', decided_at = now(), decided_by = ${by}`, /cases_appealable/u],
      [`state = 'decided', outcome = 'keep', decided_at = now(), decided_by = ${by}`, /cases_appealable/u],
      [
        `state = 'closed', outcome = 'keep', decided_at = now(), decided_by = ${by}`,
        /cases_purged_when_closed/u,
      ],
      [`outcome = 'keep', decided_at = now(), decided_by = ${by}`, /cases_open_until_decided/u],
      [
        `state = 'closed', outcome = 'moot', decided_at = now(), decided_by = ${by}, purge_at = now()`,
        /cases_decided_by_people/u,
      ],
      [`paused_at = now(), pause_ends_at = now() + interval '96 hours'`, /cases_pause_is_short/u],
      ['paused_at = now()', /cases_pause_is_short/u],
      [`leased_by = ${by}`, /cases_leased/u],
      [
        `state = 'closed', outcome = 'keep', decided_at = now(), decided_by = ${by}, purge_at = now(), leased_by = ${by}, leased_until = now()`,
        /cases_leased/u,
      ],
      [`policy = 'Harassment!'`, /cases_policy_check/u],
      ['severity = 5', /cases_severity_check/u],
      [`state = 'appealed'`, /cases_/u],
    ];
    for (const [change, constraint] of refusals)
      expect(await outcomeOf('moderation', set(id, change)), change).toMatch(constraint);
    expect(await outcomeOf('moderation', set(id, removed(by)))).toBe('done');
  });

  test('keeps its decision, has one appeal in time, and is resolved by another person', async () => {
    const [by, other] = [await addModerator(), await addModerator()];
    const id = await openCase();
    await as('moderation').query(set(id, removed(by)));
    const refusals: readonly (readonly [string, RegExp])[] = [
      [`outcome = 'hide'`, /a decision cannot be changed/u],
      [`decided_by = ${other}`, /a decision cannot be changed/u],
      [`policy = 'spam_scam'`, /a decision cannot be changed/u],
      [`decided_at = now() + interval '1 hour'`, /a decision cannot be changed/u],
      [`appeal_until = now() + interval '90 days'`, /a decision cannot be changed/u],
      [
        `state = 'appealed', sealed_appeal = '\\x01', appealed_at = now() + interval '31 days'`,
        /cases_appeal_in_time/u,
      ],
      [`state = 'appealed', appealed_at = now()`, /cases_appeal_in_time/u],
      [
        `state = 'closed', resolution = 'overturned', resolved_by = ${by}, resolved_at = now(), purge_at = now()`,
        /cases_second_person/u,
      ],
    ];
    for (const [change, constraint] of refusals)
      expect(await outcomeOf('moderation', set(id, change)), change).toMatch(constraint);

    await as('moderation').query(set(id, `state = 'appealed', sealed_appeal = '\\x01', appealed_at = now()`));
    const afterAppeal: readonly (readonly [string, RegExp])[] = [
      [`appealed_at = now() + interval '1 second'`, /a case has one appeal/u],
      [`leased_by = ${by}, leased_until = now()`, /cases_leased/u],
      [
        `state = 'closed', resolution = 'upheld', resolved_by = ${by}, resolved_at = now(), purge_at = now()`,
        /cases_second_person/u,
      ],
      [`state = 'closed', resolution = 'upheld', resolved_at = now(), purge_at = now()`, /cases_resolved/u],
    ];
    for (const [change, constraint] of afterAppeal)
      expect(await outcomeOf('moderation', set(id, change)), change).toMatch(constraint);
    expect(
      await outcomeOf(
        'moderation',
        set(
          id,
          `state = 'closed', resolution = 'overturned', resolved_by = ${other}, resolved_at = now(), purge_at = now()`,
        ),
      ),
    ).toBe('done');
  });

  test('counts one report of a person, a slot once, and keeps its notice within bounds', async () => {
    const by = await addModerator();
    const id = await openCase();
    const report = `insert into moderation.reports (case_id, reporter_key, slot_key, reason, weight, is_newcomer, created_at)
                    values (${id}, $1, $2, 'spam', 1, false, now())`;
    const [reporter, slot] = [randomBytes(16), randomBytes(16)];
    await as('moderation').query(report, [reporter, slot]);
    expect(await outcomeOf('moderation', report, [reporter, randomBytes(16)])).toMatch(
      /reports_case_id_reporter_key_key/u,
    );
    expect(await outcomeOf('moderation', report, [randomBytes(16), slot])).toMatch(/reports_slot/u);
    await as('moderation').query(set(id, removed(by)));
    const notice = (rest: string) =>
      `insert into moderation.notices (slot_key, case_id, policy_version, made_on, kind, policy, expires_at, sealed)
       values (${hex(16)}, ${id}, 1, current_date, ${rest})`;
    const later = `now() + interval '180 days'`;
    const refusals: readonly (readonly [string, RegExp])[] = [
      [`'warn', 'harassment', ${later}, ${hex(1052)}`, /notices_kind_check/u],
      // Another length would tell the sanction.
      [`'remove', 'harassment', ${later}, ${hex(1053)}`, /notices_sealed_check/u],
    ];
    for (const [rest, constraint] of refusals)
      expect(await outcomeOf('moderation', notice(rest)), rest.slice(0, 60)).toMatch(constraint);
    await as('moderation').query(notice(`'remove', 'harassment', ${later}, ${hex(1052)}`));
    expect(await outcomeOf('moderation', `delete from moderation.cases where id = ${id}`)).toMatch(/^23503/u);
  });
});

describe('the audit log', () => {
  const entry = `insert into moderation.audit (at, actor, action) values (clock_timestamp(), $1, 'revealed')`;
  const brokenAt = async () => {
    const { rows } = await as('owner').query<{ at: string | null }>(
      'select moderation.first_broken_audit() as at',
    );
    return rows[0]?.at ?? null;
  };

  test('chains entries of concurrent writers without a gap', async () => {
    const writers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const client = new pg.Client({
          connectionString: databaseUrl(database),
          options: '-c role=unsaid_moderation',
        });
        await client.connect();
        return client;
      }),
    );
    try {
      await Promise.all(
        writers.map(async (client, n) => {
          for (let k = 0; k < 50; k += 1) await client.query(entry, [`writer-${n}`]);
        }),
      );
    } finally {
      for (const client of writers) await client.end();
    }
    const { rows } = await as('owner').query<{ count: number; last: string }>(
      'select count(*)::int as count, max(seq) as last from moderation.audit',
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(600);
    expect(Number(rows[0]?.last)).toBe(rows[0]?.count);
    expect(await brokenAt()).toBeNull();
  });

  test.each([
    ['a changed actor', `update moderation.audit set actor = 'x' where seq = 10`],
    ['a changed time', `update moderation.audit set at = at + interval '1 second' where seq = 10`],
    ['a missing entry', 'delete from moderation.audit where seq = 10'],
    [
      'an entry with its hash made anew',
      `update moderation.audit set actor = 'x' where seq = 10;
       update moderation.audit a set hash = moderation.audit_hash(a) where seq = 10`,
    ],
  ])('is append-only for the owner, and %s without its triggers is found', async (_, tampering) => {
    const owner = as('owner');
    for (let n = 0; n < 12; n += 1) await as('moderation').query(entry, ['asha']);
    for (const statement of [
      `update moderation.audit set actor = 'x'`,
      'delete from moderation.audit',
      'truncate moderation.audit',
    ])
      expect(await outcomeOf('owner', statement)).toMatch(/^23000 .*append-only/u);
    expect(await brokenAt()).toBeNull();
    await owner.query('begin');
    await owner.query('alter table moderation.audit disable trigger user');
    await owner.query(tampering);
    expect(Number(await brokenAt())).toBeGreaterThanOrEqual(10);
    await owner.query('rollback');
  });
});
