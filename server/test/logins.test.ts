import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { isReady, serverScript, spawnServer } from '../../testkit/server-process.ts';
import { rolesWithSchemas } from '../src/db/schemas.ts';
import { checkLogins } from '../src/platform/login-check.ts';
import { createLogger } from '../src/platform/logger.ts';
import { checkPoolers } from '../src/platform/pooler-check.ts';
import { loginRoles, loginsWithSchemas, type LoginRole } from '../src/platform/logins.ts';
import { admin, databaseUrl, dropDatabase, withClient } from './db.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { fullTier } from './runs.ts';

/** A deployment as shipped: logins created by deploy/logins.sql, migrated by the migrator, NODE_ENV=production. */

const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
// Logins belong to the whole cluster, and other tests run at the same time.
const run = randomBytes(4).toString('hex');
const prefix = `t${run}_`;
let database: string;
let urls: Record<LoginRole, string>;
let migratorUrl: string;
const quiet = createLogger('silent');

const urlOf = (name: string) => {
  const url = new URL(databaseUrl(database));
  // Debian accepts passwords over TCP, and over its socket only users of the machine.
  if (url.searchParams.has('host')) {
    url.hostname = '127.0.0.1';
    url.search = '';
  }
  url.username = `${prefix}${name}`;
  url.password = `password-of-${name}`;
  return url.href;
};
/** Runs statements as the owner of the cluster. */
const runAsOwner = (...statements: string[]) =>
  withClient(databaseUrl(database), async (client) => {
    for (const statement of statements) await client.query(statement);
  });

function makeLogins(): void {
  const env = Object.fromEntries(
    [...loginRoles, 'migrator', 'backup'].map((name) => [
      `${name.toUpperCase()}_PASSWORD`,
      `password-of-${name}`,
    ]),
  );
  execFileSync(
    'psql',
    ['-X', '-d', databaseUrl(database), '-v', `prefix=${prefix}`, '-f', fileOf('../deploy/logins.sql')],
    { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' },
  );
}

function runMigrations(): void {
  // The environment of the one-shot service: no key, no Redis, and no login of a schema with personal data.
  const env = {
    ...bareEnv,
    DATABASE_URL: migratorUrl,
    JOBS_DATABASE_URL: urls.jobs,
    LOG_LEVEL: 'warn',
  };
  execFileSync(process.execPath, [serverScript('migrate')], { env, stdio: 'pipe' });
}

beforeAll(async () => {
  // Starts with the template's name, so that the global teardown drops it even if this file crashes.
  database = `${inject('templateDatabase')}_logins_${run}`;
  await admin((client) => client.query(`create database ${database}`));
  urls = Object.fromEntries(loginRoles.map((role) => [role, urlOf(role)])) as typeof urls;
  migratorUrl = urlOf('migrator');
  makeLogins();
  runMigrations();
});
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
/** Without the console's: a process that serves no moderators does not start with it. */
const ownRoles = loginRoles.filter((role) => role !== 'console');

/** One database, one key. */
const masterKey = randomBytes(32).toString('base64');
async function startInProduction(change: NodeJS.ProcessEnv = {}) {
  const server = await spawnServer({
    env: {
      ...Object.fromEntries(ownRoles.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, urls[role]])),
      REDIS_URL: 'redis://127.0.0.1:6379',
      REDIS_PREFIX: `logins-${run}:`,
      REDIS_TIMEOUT_MS: '2000',
      MASTER_KEY: masterKey,
      PUBLIC_ORIGIN: 'https://unsaid.example',
      SMS_PROVIDER: 'msg91',
      MSG91_AUTH_KEY: 'key',
      MSG91_TEMPLATE_ID: 'flow',
      GRIEVANCE_OFFICER_NAME: 'Asha Rao',
      GRIEVANCE_OFFICER_EMAIL: 'grievance@unsaid.example',
      SMS_COUNTRIES: 'all',
      // The only sign-in in production that sends no message.
      SMS_TEST_NUMBERS: `${reviewer}=123456`,
      SMS_TEST_NUMBERS_UNTIL: '2099-01-01',
      DRAIN_MS: '0',
      ...change,
    },
  });
  const ended = new Promise<number | null>((resolve) => void server.child.once('exit', resolve));
  onTestFinished(() => server.stop('SIGKILL'));
  return { origin: server.origin, ended, output: server.output };
}

test('production starts on the shipped logins: a person signs in, vents and reads, and jobs are scheduled (R33)', async () => {
  const { origin, output } = await startInProduction();
  await vi
    .waitUntil(() => isReady(origin), { timeout: 60_000, interval: 100 })
    .catch(() => expect.fail(output()));
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
  await vi.waitUntil(() => output().includes('"event":"started"'), { timeout: 60_000 });
  expect(output()).not.toMatch(/job_queue_error|"event":"internal_error"|permission denied/u);
});

test('production refuses another master key than the one that its data keys are wrapped with', async () => {
  const right = await startInProduction();
  await vi.waitUntil(() => isReady(right.origin), { timeout: 60_000, interval: 100 });
  const { ended, output } = await startInProduction({ MASTER_KEY: randomBytes(32).toString('base64') });
  expect(await ended).toBe(1);
  expect(output()).toContain('Unsaid cannot start: MASTER_KEYS does not open the data key');
});

test(
  'a server waits for a database that is down, and checks the logins before it starts',
  fullTier('A restart that does not wait is restarted by its supervisor.'),
  async () => {
    const direct = new URL(urls.identity);
    const proxy = await startFaultProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
    await proxy.refuse();
    direct.port = String(proxy.port);
    const { origin, output, ended } = await startInProduction({ IDENTITY_DATABASE_URL: direct.href });
    await vi.waitUntil(() => output().includes('waiting_for_database'), { timeout: 60_000 });
    const isListening = await fetch(`${origin}/healthz`).then(
      () => true,
      () => false,
    );
    expect(isListening).toBe(false);
    await runAsOwner(`grant unsaid_content to ${prefix}identity`);
    try {
      await proxy.restore();
      expect(await ended).toBe(1);
      expect(output()).toContain(`${prefix}identity can become unsaid_content`);
    } finally {
      await runAsOwner(`revoke unsaid_content from ${prefix}identity`);
      await proxy.close();
    }
  },
);

test('the login of the backups may replicate, and neither reads a table nor belongs to a role', async () => {
  const asked = spawnSync('psql', [urlOf('backup'), '-wXc', 'select from content.vents'], {
    encoding: 'utf8',
  });
  expect(asked.stderr).toContain('permission denied for database');
  const { rows } = await admin((client) =>
    client.query(
      `select rolreplication as copies, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as more,
              (select count(*)::int from pg_auth_members where member = r.oid) as roles
         from pg_roles r where rolname = $1`,
      [`${prefix}backup`],
    ),
  );
  expect(rows).toEqual([{ copies: true, more: false, roles: 0 }]);
});

describe('production refuses to start', () => {
  const expectExit = async (change: NodeJS.ProcessEnv) => {
    const { ended, output } = await startInProduction(change);
    expect(await ended).toBe(1);
    // No password is printed.
    expect(output()).not.toContain('password-of-');
    return output();
  };

  test('with the login of the console, in a process that serves users (R33)', async () => {
    expect(await expectExit({ CONSOLE_DATABASE_URL: urls.console })).toContain(
      'CONSOLE_DATABASE_URL is for the process of the console alone',
    );
  });

  test('with one login for two schemas (R33)', async () => {
    const said = await expectExit({ MATCHING_DATABASE_URL: urls.content });
    expect(said).toContain(`MATCHING_DATABASE_URL and CONTENT_DATABASE_URL share the login ${prefix}content`);
    expect(said).toContain('deploy/logins.sql');
  });

  test(
    'as a superuser (R33)',
    fullTier('The login check finds the same below, without a process of its own.'),
    async () => {
      const superuser = databaseUrl(database);
      expect(await expectExit({ CONTENT_DATABASE_URL: superuser })).toMatch(
        /CONTENT_DATABASE_URL: \S+ is a superuser/u,
      );
    },
  );

  test(
    'with a login that can become the role of another schema (R33)',
    fullTier('The login check finds the same below, without a process of its own.'),
    async () => {
      await runAsOwner(`alter role ${prefix}content noinherit`, `grant unsaid_identity to ${prefix}content`);
      try {
        expect(await expectExit({})).toContain(
          `CONTENT_DATABASE_URL: ${prefix}content can become unsaid_identity`,
        );
      } finally {
        await runAsOwner(
          `revoke unsaid_identity from ${prefix}content`,
          `alter role ${prefix}content inherit`,
        );
      }
    },
  );

  test(
    'with the migrator login, or with one URL for everything',
    fullTier('The login check finds the same below, without a process of its own.'),
    async () => {
      expect(await expectExit({ DATABASE_URL: migratorUrl })).toContain(
        'DATABASE_URL can access every schema',
      );
      const single = await expectExit({
        DATABASE_URL: databaseUrl(database),
        ...Object.fromEntries(ownRoles.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, ''])),
      });
      for (const role of ownRoles) expect(single).toContain(`${role.toUpperCase()}_DATABASE_URL is required`);
    },
  );
});

describe('the login check', () => {
  test('accepts the shipped logins', async () => {
    expect(await checkLogins(urls, quiet)).toEqual([]);
  });

  /** The wrong grant, the statement that revokes it, and the message. */
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
    'uses a schema that is open to everyone': [
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
    'creates things in a schema of another owner': [
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
    'calls a function with the name of one that it may call': [
      `create function content.rewrite_taken_slots(text) returns bigint language sql security definer
         as 'select count(*) from identity.users'`,
      'drop function content.rewrite_taken_slots(text)',
      'can call content.rewrite_taken_slots(text) with the rights of its owner',
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
    'reads files by a grant to everyone': [
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
    test(`finds a login that ${name}`, async () => {
      await runAsOwner(plant.replaceAll('{database}', database));
      try {
        expect((await checkLogins(urls, quiet)).join('; ')).toContain(
          `CONTENT_DATABASE_URL: ${login} ${said}`,
        );
      } finally {
        await runAsOwner(takeBack.replaceAll('{database}', database));
      }
      expect(await checkLogins(urls, quiet)).toEqual([]);
    });
  }

  test.each([
    ['insert on moderation.moderators', 'can write to moderation.moderators'],
    ['insert (alias, role) on moderation.moderators', 'can write to moderation.moderators'],
    ['update (proven_at) on moderation.sessions', 'can write to moderation.sessions'],
    ['insert on moderation.passkeys', 'can write to moderation.passkeys'],
  ])('finds that the login of the api has the grant: %s (R33)', async (grant, said) => {
    const [right = '', table = ''] = grant.split(' on ');
    const apiLogin = `${prefix}moderation`;
    await runAsOwner(`grant ${right} on ${table} to ${apiLogin}`);
    try {
      expect(await checkLogins(urls, quiet)).toEqual([
        `MODERATION_DATABASE_URL: ${apiLogin} ${said}, as the console alone may`,
      ]);
    } finally {
      await runAsOwner(`revoke ${right} on ${table} from ${apiLogin}`);
    }
  });

  test('waits for a database that takes the connection and does not answer yet', async () => {
    const direct = new URL(urls.jobs);
    const proxy = await startFaultProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
    onTestFinished(() => proxy.close());
    proxy.blackHole();
    direct.port = String(proxy.port);
    const events: string[] = [];
    const logger = { ...quiet, warn: ({ event }: { event: string }) => void events.push(event) };
    const checking = checkLogins({ jobs: direct.href }, logger);
    await vi.waitUntil(() => events.length > 0, { timeout: 60_000 });
    await proxy.restore();
    expect(await checking).toEqual([]);
    expect(new Set(events)).toEqual(new Set(['waiting_for_database']));
  });

  test('finds grants that a login hides behind functions of its own', async () => {
    const path = (to: string) => `alter role ${prefix}jobs in database ${database} ${to}`;
    await runAsOwner(
      `create function jobs.has_function_privilege(oid, oid, text) returns boolean language sql as 'select false'`,
      path('set search_path = jobs, pg_catalog'),
      `grant execute on function pg_read_file(text) to ${prefix}jobs`,
    );
    try {
      expect((await checkLogins(urls, quiet)).join('; ')).toContain(
        `${prefix}jobs can call pg_read_file(text)`,
      );
    } finally {
      await runAsOwner(
        `revoke execute on function pg_read_file(text) from ${prefix}jobs`,
        path('reset search_path'),
        'drop function jobs.has_function_privilege(oid, oid, text)',
      );
    }
  });

  test('finds a login that can call dblink without a password, and one that has a foreign server', async (context) => {
    const installed = await runAsOwner('create extension dblink').then(
      () => true,
      () => false,
    );
    context.skip(!installed, 'this PostgreSQL has no dblink');
    try {
      expect(await checkLogins(urls, quiet)).toEqual([]);
      await runAsOwner(
        'grant execute on function dblink_connect_u(text) to public',
        'create server elsewhere foreign data wrapper dblink_fdw',
        `grant usage on foreign server elsewhere to ${login}`,
      );
      const said = (await checkLogins(urls, quiet)).join('; ');
      expect(said).toContain(`${login} can call public.dblink_connect_u(text), which is not for everybody`);
      expect(said).toContain(`${login} can use the server elsewhere`);
    } finally {
      await runAsOwner('drop extension dblink cascade');
    }
  });

  test('finds a login that does not exist', async () => {
    const [problem] = await checkLogins({ ...urls, jobs: urlOf('missing') }, quiet);
    expect(problem).toMatch(/^JOBS_DATABASE_URL: the login cannot sign in/u);
  });
});

test('a login without a timeout of statements is named, and deploy/logins.sql gives it back', async () => {
  const findFaults = () =>
    Promise.all(
      ['api', 'mod'].map((service) =>
        checkPoolers(
          { services: new Set([service]), databaseUrl: '', roleUrls: urls },
          2000,
          createLogger('silent'),
        ),
      ),
    );
  expect(await findFaults()).toEqual([[], []]);
  await runAsOwner(`alter role ${prefix}console reset statement_timeout`);
  const fault = expect.stringMatching(/^CONSOLE_DATABASE_URL: .*no statement_timeout: run deploy/u);
  expect(await findFaults()).toEqual([[], [fault]]);
  makeLogins();
  expect(await findFaults()).toEqual([[], []]);
});

test('deploy/logins.sql revokes wrong grants', async () => {
  const login = `${prefix}content`;
  await runAsOwner(
    // The name has the same ending as the role of its schema.
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
  await runAsOwner(`drop owned by ${prefix}reader_content`, `drop role ${prefix}reader_content`);
});

test('a login cannot see locks, sessions and counters of others', async () => {
  for (const { role } of rolesWithSchemas) {
    await withClient(urls[role], async (client) => {
      for (const view of ['pg_locks', 'pg_stat_activity', 'pg_stat_all_tables', 'pg_stat_xact_all_tables'])
        await expect(client.query(`select * from ${view}`), view).rejects.toMatchObject({ code: '42501' });
      await expect(client.query('select pg_blocking_pids(1)')).rejects.toMatchObject({ code: '42501' });
    });
  }
  // pg-boss checks whether an index is being built.
  await withClient(urls.jobs, (client) => client.query('select from pg_locks, pg_stat_user_tables'));
});

/** What an injected statement on the jobs login can do: the login owns its schema. */
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

test('the jobs login cannot make the next migration run its code as the migrator (R33)', async () => {
  await withClient(urls.jobs, (client) => client.query(trap));
  try {
    runMigrations();
    await withClient(urls.jobs, async (client) => {
      await expect(client.query('select from jobs.people')).rejects.toMatchObject({ code: '42P01' });
      await expect(client.query('select from identity.users')).rejects.toMatchObject({ code: '42501' });
    });
  } finally {
    await runAsOwner('drop schema jobs cascade');
    runMigrations();
  }
  expect(await checkLogins(urls, quiet)).toEqual([]);
});

test('migrate rejects a jobs login with more rights, and an empty one (R33)', () => {
  const run = (jobsUrl: string) =>
    spawnSync(process.execPath, [serverScript('migrate')], {
      env: { ...bareEnv, DATABASE_URL: migratorUrl, JOBS_DATABASE_URL: jobsUrl },
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
});

test('deploy/logins.sql creates a login for each role', () => {
  const [, roles] =
    /^\\set roles '([^']+)'$/mu.exec(readFileSync(fileOf('../deploy/logins.sql'), 'utf8')) ?? [];
  expect(roles?.split(' ')).toEqual(loginRoles);
});

/** A table of each schema. */
async function readTables(): Promise<Record<string, string>> {
  const { rows } = await withClient(databaseUrl(database), (client) =>
    client.query<{ schema: string; name: string }>(
      `select schemaname as schema, min(format('%I.%I', schemaname, tablename)) as name from pg_tables group by 1`,
    ),
  );
  return Object.fromEntries(rows.map(({ schema, name }) => [schema, name]));
}

for (const { role, schema } of loginsWithSchemas) {
  test(`on the ${role} login, no statement gives access to another schema (R33)`, async () => {
    await withClient(urls[role], async (client) => {
      const outcome = (statement: string) =>
        client.query(statement).then(
          () => 'done',
          (error: { code?: string }) => error.code,
        );
      const secret = await readTables();
      const isOther = (name: string) =>
        loginsWithSchemas.some((login) => login.schema === name) && name !== schema;
      expect(await outcome(`select from ${secret[schema]}`)).toBe('done');
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
        for (const [other, table] of Object.entries(secret).filter(([name]) => isOther(name)))
          expect([way, other, await outcome(`select from ${table}`)]).toEqual([way, other, '42501']);
      }
    });
  });
}

test('the migrator is not a superuser, cannot create roles, and migrates again', async () => {
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
});

test('a queue from before it had its own role is created again, under that role', async () => {
  await runAsOwner(
    'drop schema jobs cascade',
    `create schema jobs authorization ${prefix}migrator`,
    'create table jobs.version ()',
  );
  runMigrations();
  expect(await checkLogins(urls, quiet)).toEqual([]);
  await withClient(urls.jobs, async (client) => {
    expect((await client.query('select from jobs.job')).rowCount).toBe(0);
  });
});
