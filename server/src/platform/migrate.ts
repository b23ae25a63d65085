import { readFile, readdir } from 'node:fs/promises';
import { PgBoss } from 'pg-boss';
import pg from 'pg';
import { declarationOf, schemaNames, type Schema } from '../db/schemas.ts';
import type { Logger } from './logger.ts';
import { checkLogin } from './login-check.ts';
import { jobsSchema } from './logins.ts';

const folder = new URL('../db/migrations/', import.meta.url);
/** What each schema has alike. */
const common = 'each';
/**
 * As `schema/time_name.sql`, in the order in which they are applied: names begin with a timestamp. No schema's folder
 * depends on another, so each can be in a database of its own.
 */
async function listMigrations(schemas: readonly Schema[] = schemaNames): Promise<string[]> {
  const names = await Promise.all(
    schemas.map(async (schema) => {
      const files = await Promise.all([schema, common].map((name) => readdir(new URL(`${name}/`, folder))));
      return files
        .flat()
        .filter((file) => file.endsWith('.sql'))
        .toSorted()
        .map((file) => `${schema}/${file}`);
    }),
  );
  return names.flat();
}

/** One of the common folder names the schema as :schema, and its roles as :roles. */
async function readMigration(name: string): Promise<string> {
  const [schema = '', file = ''] = name.split('/');
  const isCommon = (await readdir(new URL(`${common}/`, folder))).includes(file);
  const sql = await readFile(new URL(`${isCommon ? common : schema}/${file}`, folder), 'utf8');
  if (!isCommon) return sql;
  const roles = declarationOf(schema as Schema).roles.map((role) => `unsaid_${role}`);
  return sql.replaceAll(':schema', schema).replaceAll(':roles', roles.join(', '));
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

/** Whether it is older than the baseline of its schema. Newer ones belong to a newer release, which is rolled back. */
function isReplaced(applied: string, names: readonly string[]): boolean {
  const schema = applied.slice(0, applied.indexOf('/') + 1);
  const baseline = names.find((name) => name.startsWith(schema));
  return baseline !== undefined && applied < baseline;
}

interface MigrateOptions {
  /** Those of this database. */
  readonly schemas?: readonly Schema[];
  readonly hasJobs?: boolean;
  readonly jobsUrl?: string | undefined;
}

/** Applies all pending migrations. Safe to run from several processes at once. */
export async function migrate(
  databaseUrl: string,
  logger: Logger,
  { schemas = schemaNames, hasJobs = true, jobsUrl }: MigrateOptions = {},
): Promise<void> {
  await createDatabaseIfMissing(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query('create table if not exists public.migrations (name text primary key)');
    const { rows } = await client.query<{ name: string }>('select name from public.migrations');
    const applied = new Set(rows.map((row) => row.name));
    const names = await listMigrations(schemas);
    const replaced = [...applied].find((name) => isReplaced(name, names));
    if (replaced) throw new Error(`${replaced} is no longer a migration: create the database anew`);
    await createSchemas(client, schemas);
    for (const name of names) {
      if (applied.has(name)) continue;
      const sql = await readMigration(name);
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
    if (!hasJobs) return;
    await createJobsSchema(client);
    // Still under the advisory lock of this session, though the queue is migrated in another one.
    await migrateJobs(databaseUrl, jobsUrl, logger);
  } finally {
    await client.end();
  }
}

/**
 * Creates a missing group role: it has rights and cannot log in. Roles belong to the whole cluster, so another database
 * may have created it already, or may be creating it now. An owner that is no superuser must be a member to grant rights.
 */
async function createGroupRole(client: pg.Client, name: string): Promise<void> {
  await client.query(`
    do $$
    begin
      begin
        if not exists (select from pg_roles where rolname = '${name}') then
          create role ${name} nologin;
        end if;
      exception when duplicate_object or unique_violation then null;
      end;
      if not pg_has_role(current_user, '${name}', 'member') then
        grant ${name} to current_user;
      end if;
    end
    $$`);
}

/** Creates missing schemas with their roles. A role may use its own schema and nothing of the others, and owns nothing. */
async function createSchemas(client: pg.Client, schemas: readonly Schema[]): Promise<void> {
  for (const schema of schemas) {
    const { roles, grantsByTable } = declarationOf(schema);
    await client.query(`create schema if not exists ${schema}`);
    for (const role of roles) {
      await createGroupRole(client, `unsaid_${role}`);
      await client.query(`grant usage on schema ${schema} to unsaid_${role}`);
      // For readiness.
      await client.query(`grant select on public.migrations to unsaid_${role}`);
    }
    if (!grantsByTable)
      await client.query(
        `alter default privileges in schema ${schema} grant select, insert, update, delete on tables to unsaid_${roles[0]}`,
      );
  }
}

/**
 * pg-boss alters its own tables while it runs (it builds indexes in the background), so the jobs role owns its schema.
 * Views and functions in it are therefore not trusted: the owner's session creates or drops the schema and reads nothing
 * in it, because such code would run with the owner's rights.
 */
async function createJobsSchema(client: pg.Client): Promise<void> {
  await createGroupRole(client, 'unsaid_jobs');
  await client.query(`
    do $$
    begin
      -- A schema that another role owns. Workers create its queues again when they start.
      if exists (select from pg_namespace where nspname = '${jobsSchema}' and nspowner <> 'unsaid_jobs'::regrole) then
        drop schema ${jobsSchema} cascade;
      end if;
    end
    $$;
    create schema if not exists ${jobsSchema} authorization unsaid_jobs;
    grant select on public.migrations to unsaid_jobs;
    -- Read by every process, so beside the queue (switches.ts).
    create table if not exists public.switches (name text primary key);
    grant select, insert, delete on public.switches to unsaid_jobs;`);
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

/** The number of this build's migrations of a schema that are not among the applied ones. */
export async function countPendingMigrations(schema: Schema, applied: readonly string[]): Promise<number> {
  const names = await listMigrations([schema]);
  return names.filter((name) => !applied.includes(name)).length;
}
