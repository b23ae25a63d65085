import { readFile, readdir } from 'node:fs/promises';
import { PgBoss } from 'pg-boss';
import pg from 'pg';
import { jobsSchema } from './jobs.ts';
import type { Logger } from './logger.ts';
import { checkLogin } from './login-check.ts';

const folder = new URL('../db/migrations/', import.meta.url);
/** A folder for each. No folder depends on another, so each schema can be in a database of its own. */
const allSchemas = ['identity', 'content', 'matching', 'moderation'] as const;
type Schema = (typeof allSchemas)[number];

/** As `schema/time_name.sql`, in the order in which they are applied: names begin with a timestamp. */
async function listMigrations(schemas: readonly Schema[] = allSchemas): Promise<string[]> {
  const names = await Promise.all(
    schemas.map(async (schema) => {
      const files = await readdir(new URL(`${schema}/`, folder));
      return files
        .filter((file) => file.endsWith('.sql'))
        .toSorted()
        .map((file) => `${schema}/${file}`);
    }),
  );
  return names.flat();
}

/** The advisory lock's number; nothing else uses it. */
const lockKey = 7_241_901;

async function createDatabaseIfMissing(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: unknown }).code !== '3D000') throw error;
    const url = new URL(databaseUrl);
    const name = decodeURIComponent(url.pathname.slice(1));
    url.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create database ${pg.escapeIdentifier(name)}`);
    await admin.end();
  } finally {
    await client.end().catch(() => {});
  }
}

/** Applies all pending migrations. Safe to run from several processes at once. */
export async function migrate(
  databaseUrl: string,
  logger: Logger,
  { schemas = allSchemas, jobsUrl }: { schemas?: readonly Schema[]; jobsUrl?: string | undefined } = {},
): Promise<void> {
  await createDatabaseIfMissing(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query('create table if not exists public.migrations (name text primary key)');
    const { rows } = await client.query<{ name: string }>('select name from public.migrations');
    const applied = new Set(rows.map((row) => row.name));
    for (const name of await listMigrations(schemas)) {
      if (applied.has(name)) continue;
      const sql = await readFile(new URL(name, folder), 'utf8');
      await client.query('begin');
      try {
        await client.query(sql);
        await client.query('insert into public.migrations (name) values ($1)', [name]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
      logger.info({ event: 'migration_applied', migration: name });
    }
    await createJobsSchema(client);
    // Still under the advisory lock of this session, though the queue is migrated in another one.
    await migrateJobs(databaseUrl, jobsUrl, logger);
  } finally {
    await client.end();
  }
}

/**
 * pg-boss alters its own tables while it runs (it builds indexes in the background), so the jobs role owns its schema.
 * Views and functions in it are therefore not trusted: the owner's session creates or drops the schema and reads nothing
 * in it, because such code would run with the owner's rights.
 */
async function createJobsSchema(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    begin
      begin
        if not exists (select from pg_roles where rolname = 'unsaid_jobs') then
          create role unsaid_jobs nologin;
        end if;
      exception when duplicate_object or unique_violation then null;
      end;
      if not pg_has_role(current_user, 'unsaid_jobs', 'member') then
        grant unsaid_jobs to current_user;
      end if;
      -- A schema that another role owns. Workers create its queues again when they start.
      if exists (select from pg_namespace where nspname = '${jobsSchema}' and nspowner <> 'unsaid_jobs'::regrole) then
        drop schema ${jobsSchema} cascade;
      end if;
    end
    $$;
    create schema if not exists ${jobsSchema} authorization unsaid_jobs;
    grant select on public.migrations to unsaid_jobs;`);
}

/** Uses the jobs login if there is one. In development the owner's login takes the role. */
async function migrateJobs(databaseUrl: string, jobsUrl: string | undefined, logger: Logger): Promise<void> {
  if (jobsUrl) {
    const problems = await checkLogin(jobsUrl, 'jobs', logger);
    if (problems.length > 0) throw new Error(problems.join('; '));
  }
  const boss = new PgBoss({
    connectionString: jobsUrl ?? databaseUrl,
    // The group role must own the new tables, not the login.
    options: '-c role=unsaid_jobs',
    schema: jobsSchema,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false });
}

/** The number of this build's migrations that the database does not have yet. */
export async function countPendingMigrations(client: pg.Pool): Promise<number> {
  const [names, { rows }] = await Promise.all([
    listMigrations(),
    client.query<{ name: string }>('select name from public.migrations'),
  ]);
  const applied = new Set(rows.map((row) => row.name));
  return names.filter((name) => !applied.has(name)).length;
}
