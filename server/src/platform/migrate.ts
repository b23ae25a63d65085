import { readFile, readdir } from 'node:fs/promises';
import { PgBoss } from 'pg-boss';
import pg from 'pg';
import { jobsSchema } from './jobs.ts';
import type { Logger } from './logger.ts';
import { checkLogin } from './login-check.ts';

const folder = new URL('../db/migrations/', import.meta.url);
/** One folder each, and nothing in one folder needs another: each schema can live in a database of its own. */
const allSchemas = ['identity', 'content', 'matching'] as const;
type Schema = (typeof allSchemas)[number];

/** As `schema/time_name.sql`, in the order they are applied: names begin with a time. */
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

/** Any number that nothing else locks. */
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

/** Brings a database to the newest shape. Safe to run from several processes at once. */
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
      logger.info({ event: 'migrated', migration: name });
    }
    await createJobsSchema(client);
    // Still under the lock, which is the owner's session; the work is another session's.
    await migrateJobs(databaseUrl, jobsUrl, logger);
  } finally {
    await client.end();
  }
}

/**
 * pg-boss alters its own tables while it runs (it builds indexes in the background), so the role of the jobs owns its
 * schema: a view or a function in it can be anything. The owner's session makes the schema and looks at nothing in it;
 * code in there would run with the owner's rights. Dropping runs no code.
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
      -- A schema from before the role: whatever was in it, workers put there again when they start.
      if exists (select from pg_namespace where nspname = '${jobsSchema}' and nspowner <> 'unsaid_jobs'::regrole) then
        drop schema ${jobsSchema} cascade;
      end if;
    end
    $$;
    create schema if not exists ${jobsSchema} authorization unsaid_jobs;
    grant select on public.migrations to unsaid_jobs;`);
}

/** By the login of the jobs where there is one. Taking its role on the owner's login is for development alone. */
async function migrateJobs(databaseUrl: string, jobsUrl: string | undefined, logger: Logger): Promise<void> {
  if (jobsUrl) {
    const problems = await checkLogin(jobsUrl, 'jobs', logger);
    if (problems.length > 0) throw new Error(problems.join('; '));
  }
  const boss = new PgBoss({
    connectionString: jobsUrl ?? databaseUrl,
    // So that the group role owns what is made, and not the login.
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

/** Migrations that the running code has and the database lacks. */
export async function countPendingMigrations(client: pg.Pool): Promise<number> {
  const [names, { rows }] = await Promise.all([
    listMigrations(),
    client.query<{ name: string }>('select name from public.migrations'),
  ]);
  const applied = new Set(rows.map((row) => row.name));
  return names.filter((name) => !applied.has(name)).length;
}
