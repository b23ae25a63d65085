import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { readConfig } from '../src/config.ts';

/** A database for each test file, copied from a migrated template. */

export function databaseUrl(name: string): string {
  const url = new URL(readConfig({ ...process.env, NODE_ENV: 'test' }).databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function admin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(databaseUrl('postgres'), work);
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Connections as the owner of a database. `end` does not wait until they are closed: one that is still closing when the
 * database is dropped gets an error, which concerns nobody.
 */
export function openPool(connectionString: string, max = 2): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('connect', (client) => void client.on('error', () => {}));
  // An idle connection ends when its database is dropped.
  pool.on('error', () => {});
  return pool;
}

export async function dropDatabase(name: string): Promise<void> {
  await admin((client) => client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`));
}

export async function createTestDatabase(): Promise<string> {
  const template = inject('templateDatabase');
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await admin(async (client) => {
    await client.query(
      `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`,
    );
    // Nothing here has to survive a crash, and a busy disk must not delay a commit.
    await client.query(`alter database ${pg.escapeIdentifier(name)} set synchronous_commit = off`);
  });
  return name;
}
