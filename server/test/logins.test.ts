import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { checkLogins } from '../src/platform/login-check.ts';
import { createLogger } from '../src/platform/logger.ts';
import { loginRoles, type LoginRole } from '../src/platform/logins.ts';
import { admin, databaseUrl, dropDatabase, withClient } from './db.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { freePort } from './free-port.ts';

/** A deployment as it is shipped: logins made by deploy/logins.sql, migrated by the migrator, NODE_ENV=production. */

const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
// Logins belong to the whole cluster, and other tests run beside this one.
const run = randomBytes(4).toString('hex');
const prefix = `t${run}_`;
let database: string;
let urls: Record<LoginRole, string>;
let migratorUrl: string;
const quiet = createLogger('silent');

const as = (name: string) => {
  const url = new URL(databaseUrl(database));
  // Debian lets in whoever has a password over TCP, and over its socket only users of the machine.
  if (url.searchParams.has('host')) {
    url.hostname = '127.0.0.1';
    url.search = '';
  }
  url.username = `${prefix}${name}`;
  url.password = `password-of-${name}`;
  return url.href;
};
/** By whoever owns the cluster. */
const sql = (...statements: string[]) =>
  withClient(databaseUrl(database), async (client) => {
    for (const statement of statements) await client.query(statement);
  });

function makeLogins(): void {
  const env = Object.fromEntries(
    [...loginRoles, 'migrator'].map((name) => [`${name.toUpperCase()}_PASSWORD`, `password-of-${name}`]),
  );
  execFileSync(
    'psql',
    ['-X', '-d', databaseUrl(database), '-v', `prefix=${prefix}`, '-f', fileOf('../deploy/logins.sql')],
    { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' },
  );
}

function runMigrations(): void {
  // As the one-shot service has it: no key, no Redis, no login of a schema that holds people.
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: migratorUrl,
    JOBS_DATABASE_URL: urls.jobs,
    LOG_LEVEL: 'warn',
  };
  execFileSync(process.execPath, [fileOf('src/bin/migrate.ts')], { env, stdio: 'pipe' });
}

beforeAll(async () => {
  // Under the template's name, so that it goes even if this file crashes.
  database = `${inject('templateDatabase')}_logins_${run}`;
  await admin((client) => client.query(`create database ${database}`));
  urls = Object.fromEntries(loginRoles.map((role) => [role, as(role)])) as typeof urls;
  migratorUrl = as('migrator');
  makeLogins();
  runMigrations();
}, 60_000);
afterAll(async () => {
  await dropDatabase(database);
  const { rows } = await admin((client) =>
    client.query<{ rolname: string }>('select rolname from pg_roles where starts_with(rolname, $1)', [
      prefix,
    ]),
  );
  for (const { rolname } of rows)
    await admin((client) => client.query(`drop role ${pg.escapeIdentifier(rolname)}`));
});

const reviewer = '+15555550123';

async function startInProduction(change: NodeJS.ProcessEnv = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [fileOf('src/bin/api.ts')], {
    env: {
      PATH: process.env['PATH'],
      ...Object.fromEntries(loginRoles.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, urls[role]])),
      REDIS_URL: 'redis://127.0.0.1:6379',
      REDIS_PREFIX: `logins-${run}:`,
      REDIS_TIMEOUT_MS: '2000',
      MASTER_KEY: randomBytes(32).toString('base64'),
      PUBLIC_ORIGIN: 'https://unsaid.example',
      SMS_PROVIDER: 'msg91',
      MSG91_AUTH_KEY: 'key',
      MSG91_TEMPLATE_ID: 'flow',
      SMS_COUNTRIES: 'all',
      // The one way to sign in for which production sends no message.
      SMS_TEST_NUMBERS: `${reviewer}=123456`,
      SMS_TEST_NUMBERS_UNTIL: '2099-01-01',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DRAIN_MS: '0',
      ...change,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { origin: `http://127.0.0.1:${port}`, ended, output: () => output };
}

test('production starts on the shipped logins: somebody signs in, vents and reads, and jobs are scheduled', async () => {
  const { origin, output } = await startInProduction();
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 15_000, interval: 100 }).catch(() => expect.fail(output()));
  let token = '';
  const call = async (path: string, body?: object) => {
    const answer = await fetch(`${origin}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect([path, answer.status]).toEqual([path, body && path.endsWith('create') ? 201 : 200]);
    return (await answer.json()) as Record<string, unknown>;
  };
  await call('/api/auth/request-otp', { phone: reviewer });
  ({ token } = (await call('/api/auth/verify-otp', { phone: reviewer, otp: '123456' })) as { token: string });
  await call('/api/vent/create', { title: 'By four logins', text: 'Each its own.', emotion: 'Happy' });
  expect(JSON.stringify(await call('/api/vent/all'))).toContain('By four logins');
  expect(JSON.stringify(await call('/api/vent/search?query=logins'))).toContain('By four logins');
  await call('/api/match/suggestions');
  await vi.waitUntil(() => output().includes('"event":"started"'), { timeout: 15_000 });
  expect(output()).not.toMatch(/jobs_trouble|"event":"fault"|permission denied/u);
}, 45_000);

test('a server waits for a database that is away, and is checked before it begins', async () => {
  const direct = new URL(urls.identity);
  const proxy = await startFaultProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  await proxy.refuse();
  direct.port = String(proxy.port);
  const { origin, output, ended } = await startInProduction({ IDENTITY_DATABASE_URL: direct.href });
  await vi.waitUntil(() => output().includes('database_awaited'), { timeout: 15_000 });
  const isListening = await fetch(`${origin}/healthz`).then(
    () => true,
    () => false,
  );
  expect(isListening).toBe(false);
  await sql(`grant unsaid_content to ${prefix}identity`);
  try {
    await proxy.restore();
    expect(await ended).toBe(1);
    expect(output()).toContain(`${prefix}identity can become unsaid_content`);
  } finally {
    await sql(`revoke unsaid_content from ${prefix}identity`);
    await proxy.close();
  }
}, 45_000);

describe('production refuses to start', { timeout: 45_000 }, () => {
  const refusal = async (change: NodeJS.ProcessEnv) => {
    const { ended, output } = await startInProduction(change);
    expect(await ended).toBe(1);
    // A password is no part of what is told.
    expect(output()).not.toContain('password-of-');
    return output();
  };

  test('with one login for two schemas', async () => {
    const said = await refusal({ MATCHING_DATABASE_URL: urls.content });
    expect(said).toContain(`MATCHING_DATABASE_URL and CONTENT_DATABASE_URL share the login ${prefix}content`);
    expect(said).toContain('deploy/logins.sql');
  });

  test('as a superuser', async () => {
    const superuser = databaseUrl(database);
    expect(await refusal({ CONTENT_DATABASE_URL: superuser })).toMatch(
      /CONTENT_DATABASE_URL: \S+ is a superuser/u,
    );
  });

  test('with a login that can become the role of another schema', async () => {
    await sql(`alter role ${prefix}content noinherit`, `grant unsaid_identity to ${prefix}content`);
    try {
      expect(await refusal({})).toContain(
        `CONTENT_DATABASE_URL: ${prefix}content can become unsaid_identity`,
      );
    } finally {
      await sql(`revoke unsaid_identity from ${prefix}content`, `alter role ${prefix}content inherit`);
    }
  });

  test('with the login that migrates, or with one URL for everything', async () => {
    expect(await refusal({ DATABASE_URL: migratorUrl })).toContain('DATABASE_URL opens every schema');
    const single = await refusal({
      DATABASE_URL: databaseUrl(database),
      ...Object.fromEntries(loginRoles.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, ''])),
    });
    for (const role of loginRoles) expect(single).toContain(`${role.toUpperCase()}_DATABASE_URL is required`);
  });
});

describe('the check of logins', () => {
  test('finds nothing wrong with the shipped ones', async () => {
    expect(await checkLogins(urls, quiet)).toEqual([]);
  });

  /** What is granted by mistake, what takes it back, and what is said. */
  const login = `${prefix}content`;
  const cases: Record<string, [string, string, string]> = {
    'can create roles': [
      `alter role ${login} createrole`,
      `alter role ${login} nocreaterole`,
      'can create roles',
    ],
    'can replicate': [
      `alter role ${login} replication`,
      `alter role ${login} noreplication`,
      'can replicate',
    ],
    'bypasses row security': [
      `alter role ${login} bypassrls`,
      `alter role ${login} nobypassrls`,
      'bypasses row',
    ],
    'may read all data': [
      `grant pg_read_all_data to ${login}`,
      `revoke pg_read_all_data from ${login}`,
      'can become pg_read_all_data',
    ],
    'sees the statements of other logins': [
      `grant pg_monitor to ${login}`,
      `revoke pg_monitor from ${login}`,
      'can become pg_read_all_stats',
    ],
    'is a member of the migrator': [
      `grant ${prefix}migrator to ${login}`,
      `revoke ${prefix}migrator from ${login}`,
      'can become unsaid_identity',
    ],
    'uses a schema that is open to everybody': [
      'grant usage on schema identity to public',
      'revoke usage on schema identity from public',
      'reaches the schema identity',
    ],
    'reads one column of another schema': [
      `grant select (username) on identity.users to ${login}`,
      `revoke select (username) on identity.users from ${login}`,
      'has rights to a table of the schema identity',
    ],
    'writes another schema, and reads nothing there': [
      `grant update on identity.users to ${login}`,
      `revoke update on identity.users from ${login}`,
      'has rights to a table of the schema identity',
    ],
    'can grant its own role to others': [
      `grant unsaid_content to ${login} with admin option`,
      `revoke admin option for unsaid_content from ${login}`,
      'can grant the role unsaid_content',
    ],
    'is a member of a superuser': [
      `create role ${prefix}root superuser nologin; grant ${prefix}root to ${login}`,
      `drop role ${prefix}root`,
      `can become the superuser ${prefix}root`,
    ],
    'can create databases': [
      `alter role ${login} createdb`,
      `alter role ${login} nocreatedb`,
      'can create databases',
    ],
    'creates things in public': [
      `grant create on schema public to ${login}`,
      `revoke create on schema public from ${login}`,
      'can create in the schema public',
    ],
    'creates things in its own schema': [
      `grant create on schema content to ${login}`,
      `revoke create on schema content from ${login}`,
      'can create in the schema content',
    ],
    'creates things in a schema of somebody else': [
      `create schema other; grant create on schema other to ${login}`,
      'drop schema other',
      'can create in the schema other',
    ],
    'creates schemas': [
      `grant create on database {database} to ${login}`,
      `revoke create on database {database} from ${login}`,
      'can create schemas',
    ],
    'calls a function with the rights of its owner': [
      `create function public.peek() returns bigint language sql security definer
         as 'select count(*) from identity.users'`,
      'drop function public.peek()',
      'can call public.peek() with the rights of its owner',
    ],
    'reads another schema through a view in its own': [
      `create view content.people as select * from identity.users; grant select on content.people to unsaid_content`,
      'drop view content.people',
      'reads content.people with the rights of its owner',
    ],
    'reads another schema through a view in public': [
      'create view public.people as select * from identity.users; grant select on public.people to public',
      'drop view public.people',
      'reads public.people with the rights of its owner',
    ],
    'reads files': [
      `grant execute on function pg_read_file(text) to ${login}`,
      `revoke execute on function pg_read_file(text) from ${login}`,
      'can call pg_read_file(text), which is not for everybody',
    ],
    'reads files as everybody may': [
      'grant execute on function lo_import(text) to public',
      'revoke execute on function lo_import(text) from public',
      'can call lo_import(text), which is not for everybody',
    ],
    'puts triggers on its tables': [
      `grant trigger on content.vents to ${login}`,
      `revoke trigger on content.vents from ${login}`,
      'can put a trigger on content.vents',
    ],
    'changes a setting of the server': [
      `grant alter system on parameter archive_command to ${login}`,
      `revoke alter system on parameter archive_command from ${login}`,
      'can set archive_command',
    ],
    'owns a function': [
      `alter function content.folded(text) owner to ${login}`,
      `alter function content.folded(text) owner to ${prefix}migrator`,
      'owns content.folded(',
    ],
    'owns a table': [
      `alter table content.vent_stats owner to ${login}`,
      `alter table content.vent_stats owner to ${prefix}migrator`,
      'owns content.vent_stats',
    ],
    'owns the database': [
      `alter database {database} owner to ${login}`,
      `alter database {database} owner to current_user; grant connect on database {database} to ${login}`,
      'can become pg_database_owner',
    ],
    'has no right to its own schema': [
      `revoke unsaid_content from ${login}`,
      `grant unsaid_content to ${login}`,
      'cannot use the schema content',
    ],
  };
  for (const [name, [plant, takeBack, said]] of Object.entries(cases)) {
    test(`finds one that ${name}`, async () => {
      await sql(plant.replaceAll('{database}', database));
      try {
        expect((await checkLogins(urls, quiet)).join('; ')).toContain(
          `CONTENT_DATABASE_URL: ${login} ${said}`,
        );
      } finally {
        await sql(takeBack.replaceAll('{database}', database));
      }
      expect(await checkLogins(urls, quiet)).toEqual([]);
    });
  }

  test('finds what a login hides behind functions of its own', async () => {
    const path = (to: string) => `alter role ${prefix}jobs in database ${database} ${to}`;
    await sql(
      `create function jobs.has_function_privilege(oid, oid, text) returns boolean language sql as 'select false'`,
      path('set search_path = jobs, pg_catalog'),
      `grant execute on function pg_read_file(text) to ${prefix}jobs`,
    );
    try {
      expect((await checkLogins(urls, quiet)).join('; ')).toContain(
        `${prefix}jobs can call pg_read_file(text)`,
      );
    } finally {
      await sql(
        `revoke execute on function pg_read_file(text) from ${prefix}jobs`,
        path('reset search_path'),
        'drop function jobs.has_function_privilege(oid, oid, text)',
      );
    }
  });

  test('finds one that can call dblink without a password, and one that has a foreign server', async (context) => {
    const installed = await sql('create extension dblink').then(
      () => true,
      () => false,
    );
    context.skip(!installed, 'this PostgreSQL has no dblink');
    try {
      expect(await checkLogins(urls, quiet)).toEqual([]);
      await sql(
        'grant execute on function dblink_connect_u(text) to public',
        'create server elsewhere foreign data wrapper dblink_fdw',
        `grant usage on foreign server elsewhere to ${login}`,
      );
      const said = (await checkLogins(urls, quiet)).join('; ');
      expect(said).toContain(`${login} can call public.dblink_connect_u(text), which is not for everybody`);
      expect(said).toContain(`${login} can use the server elsewhere`);
    } finally {
      await sql('drop extension dblink cascade');
    }
  });

  test('finds one that does not exist', async () => {
    const [problem] = await checkLogins({ ...urls, jobs: as('nobody') }, quiet);
    expect(problem).toMatch(/^JOBS_DATABASE_URL: the login cannot sign in/u);
  });
});

test('the script takes back what was granted by mistake', async () => {
  const login = `${prefix}content`;
  await sql(
    // Ends like the role of its schema.
    `create role ${prefix}reader_content nologin`,
    `grant usage on schema identity to ${prefix}reader_content`,
    `grant ${prefix}reader_content to ${login}`,
    `grant unsaid_content to ${login} with admin option`,
    `alter role ${login} superuser createdb createrole replication bypassrls`,
    `grant create on schema public, content to ${login}`,
    `grant create on database ${database} to ${login}`,
  );
  expect(await checkLogins(urls, quiet)).not.toEqual([]);
  makeLogins();
  expect(await checkLogins(urls, quiet)).toEqual([]);
  await sql(`drop owned by ${prefix}reader_content`, `drop role ${prefix}reader_content`);
});

test('locks, sessions and counters of others are hidden from a login', async () => {
  for (const role of ['identity', 'content', 'matching'] as const) {
    await withClient(urls[role], async (client) => {
      for (const view of ['pg_locks', 'pg_stat_activity', 'pg_stat_all_tables', 'pg_stat_xact_all_tables'])
        await expect(client.query(`select * from ${view}`), view).rejects.toMatchObject({ code: '42501' });
      await expect(client.query('select pg_blocking_pids(1)')).rejects.toMatchObject({ code: '42501' });
    });
  }
  // pg-boss looks whether an index is being built.
  await withClient(urls.jobs, (client) => client.query('select from pg_locks, pg_stat_user_tables'));
});

/** What an injected statement on the login of the jobs can do: it owns its schema. */
const trap = `
  set role unsaid_jobs;
  create function jobs.trap() returns boolean language plpgsql as $$
  begin
    if session_user <> '${prefix}jobs' then
      perform set_config('role', 'none', false);
      execute 'create or replace view jobs.people as select * from identity.users';
      execute 'grant select on jobs.people to unsaid_jobs';
      perform set_config('role', 'unsaid_jobs', false);
    end if;
    return true;
  end $$;
  alter table jobs.version rename to version_before;
  create view jobs.version as select * from jobs.version_before where jobs.trap();`;

test('the login of the jobs cannot make the next migration run its code as the migrator', async () => {
  await withClient(urls.jobs, (client) => client.query(trap));
  try {
    runMigrations();
    await withClient(urls.jobs, async (client) => {
      await expect(client.query('select from jobs.people')).rejects.toMatchObject({ code: '42P01' });
      await expect(client.query('select from identity.users')).rejects.toMatchObject({ code: '42501' });
    });
  } finally {
    await sql('drop schema jobs cascade');
    runMigrations();
  }
  expect(await checkLogins(urls, quiet)).toEqual([]);
}, 45_000);

test('migrate refuses a login of the jobs that opens more, and no login at all', () => {
  const run = (jobsUrl: string) =>
    spawnSync(process.execPath, [fileOf('src/bin/migrate.ts')], {
      env: { PATH: process.env['PATH'], DATABASE_URL: migratorUrl, JOBS_DATABASE_URL: jobsUrl },
      encoding: 'utf8',
    });
  for (const [jobsUrl, said] of [
    [migratorUrl, `${prefix}migrator can become unsaid_identity`],
    [databaseUrl(database), 'is a superuser'],
    ['', 'JOBS_DATABASE_URL is required'],
  ] as const) {
    const { status, stderr } = run(jobsUrl);
    expect(status).toBe(1);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('password-of-');
  }
}, 45_000);

const secret: Record<LoginRole, string> = {
  identity: 'identity.users',
  content: 'content.vents',
  matching: 'matching.pairs',
  jobs: 'jobs.job',
};

for (const role of loginRoles) {
  test(`on the login of ${role} no statement leads to another schema`, async () => {
    await withClient(urls[role], async (client) => {
      const outcome = (statement: string) =>
        client.query(statement).then(
          () => 'done',
          (error: { code?: string }) => error.code,
        );
      expect(await outcome(`select from ${secret[role]}`)).toBe('done');
      const superuser = pg.escapeIdentifier(decodeURIComponent(new URL(databaseUrl(database)).username));
      const others = loginRoles.filter((other) => other !== role);
      const ways = [
        ['set role none', 'done'],
        ['reset role', 'done'],
        ['reset session authorization', 'done'],
        [`set role unsaid_${role}`, 'done'],
        ...[
          ...others.flatMap((other) => [`unsaid_${other}`, `${prefix}${other}`]),
          `${prefix}migrator`,
          superuser,
        ].flatMap((other) => [
          [`set role ${other}`, '42501'],
          [`set session authorization ${other}`, '42501'],
          [`grant ${other} to ${prefix}${role}`, '42501'],
        ]),
        [`alter role ${prefix}${role} superuser`, '42501'],
        ['create role somebody', '42501'],
        ['create schema mine', '42501'],
        ['create table public.mine ()', '42501'],
        ['create temporary table mine ()', '42501'],
        [`copy (select 1) to program 'true'`, '42501'],
        [`select pg_read_file('postgresql.conf')`, '42501'],
        [`set session_replication_role = replica`, '42501'],
      ] as const;
      for (const [way, expected] of ways) {
        expect([way, await outcome(way ?? '')]).toEqual([way, expected]);
        for (const other of others)
          expect([way, other, await outcome(`select from ${secret[other]}`)]).toEqual([way, other, '42501']);
      }
    });
  });
}

test(
  'the migrator is no superuser, loses the right to create roles once the schemas stand, and migrates again',
  { timeout: 45_000 },
  async () => {
    makeLogins();
    const attributes = await withClient(migratorUrl, (client) =>
      client.query(
        'select rolsuper, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = current_user',
      ),
    );
    expect(attributes.rows).toEqual([
      { rolsuper: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false },
    ]);
    runMigrations();
    expect(await checkLogins(urls, quiet)).toEqual([]);
  },
);

test(
  'a queue from before it had a role of its own is made again, under that role',
  { timeout: 45_000 },
  async () => {
    await sql(
      'drop schema jobs cascade',
      `create schema jobs authorization ${prefix}migrator`,
      'create table jobs.version ()',
    );
    runMigrations();
    expect(await checkLogins(urls, quiet)).toEqual([]);
    await withClient(urls.jobs, async (client) => {
      expect((await client.query('select from jobs.job')).rowCount).toBe(0);
    });
  },
);
