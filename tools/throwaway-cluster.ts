/** A PostgreSQL of its own, in a folder of its own, for what must not disturb any other: losing it, measuring it. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server/test/free-port.ts';
import { endAll, run, start, until } from './drills.ts';

const bin = run(['bash', '-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1']);
const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root. */
export const asPostgres = isRoot
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
  : ['env'];
export const version = run([`${bin}/postgres`, '--version']).split(' ')[2] ?? '';

export const folder = mkdtempSync('/var/tmp/unsaid-drill-');
if (isRoot) run(['chown', 'postgres', folder]);
chmodSync(folder, 0o700);

const port = await freePort();
export const libpq = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'unsaid' };
export const databaseUrl = `postgres://unsaid@127.0.0.1:${port}/unsaid`;

export function query(text: string, database = 'unsaid'): string {
  return run(['psql', '-XAtq', '-d', database, '-c', text], libpq);
}

/** Null while nobody answers. */
export function tryToAsk(text: string): string | null {
  try {
    return query(text, 'postgres');
  } catch {
    return null;
  }
}

export function initCluster(data: string): void {
  run([...asPostgres, `${bin}/initdb`, '-D', data, '-U', 'unsaid', '-A', 'trust', '--data-checksums']);
}

/** The child is postgres itself: whoever took the other user's number gave its place to it. */
export async function startCluster(data: string): Promise<ChildProcess> {
  const where = ['-D', data, '-p', String(port), '-k', folder];
  const cluster = start([...asPostgres, `${bin}/postgres`, ...where], {}, { stderr: 'ignore' });
  // Ready to be written, not only read while it catches up.
  await until('PostgreSQL', () => tryToAsk('select pg_is_in_recovery()') === 'f');
  return cluster;
}

export async function cleanUp(): Promise<void> {
  await endAll();
  // PostgreSQL's own children go a moment after it.
  await sleep(500);
  rmSync(folder, { recursive: true, force: true });
}
