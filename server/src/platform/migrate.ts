import { readFile, readdir } from 'node:fs/promises';
import { PgBoss } from 'pg-boss';
import pg from 'pg';
import { jobsSchema } from './jobs.ts';
import type { Logger } from './logger.ts';

const folder = new URL('../db/migrations/', import.meta.url);
/** One folder each, and nothing in one folder needs another: each schema can live in a database of its own. */
const schemas = ['identity', 'content', 'matching'] as const;

/** As `schema/time_name.sql`, in the order they are applied: names begin with a time. */
async function listMigrations(): Promise<string[]> {
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
export async function migrate(databaseUrl: string, logger: Logger): Promise<void> {
  await createDatabaseIfMissing(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query('create table if not exists public.migrations (name text primary key)');
    const { rows } = await client.query<{ name: string }>('select name from public.migrations');
    const applied = new Set(rows.map((row) => row.name));
    for (const name of await listMigrations()) {
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
    await migrateJobs(databaseUrl);
  } finally {
    await client.end();
  }
}

/** pg-boss keeps its own tables, in a schema that only the owner of the database touches. */
async function migrateJobs(databaseUrl: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: jobsSchema,
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
