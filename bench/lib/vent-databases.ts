import { execFileSync } from 'node:child_process';
import { seedScript, serverScript } from '../../testkit/server-process.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import { psql } from './psql.ts';
import { cloneVents } from './clone-vents.ts';

/**
 * Databases with given numbers of vents, kept for the next run. The smallest is seeded as usual; the larger ones are
 * copies of it with cloned vents.
 */

/** Version of the generated data. Raise it with every change of the generator. */
const version = 8;

export const services = findServices();
const admin = urlOfDatabase(services.DATABASE_URL, 'postgres');
export const nameOf = (vents: number) => `unsaid_bench_vents_${vents}`;
export const urlOf = (name: string) => urlOfDatabase(services.DATABASE_URL, name);

/** The phone number of the viewer in every measurement: the first seeded person. */
export const viewerPhone = '+919900000001';

const markOf = (vents: number, seeded: number) =>
  `${vents} vents, cloned from ${seeded} seeded, version ${version}`;

export const dropDatabase = (name: string) =>
  void psql(admin, `drop database if exists ${name} with (force)`);

/** Copies a database file by file. */
export function copyDatabase(from: string, to: string): void {
  dropDatabase(to);
  psql(admin, `create database ${to} template ${from} strategy file_copy`);
}

/** The comment on a database, which says what it was filled with. */
export const readMark = (name: string) =>
  psql(admin, `select shobj_description(oid, 'pg_database') from pg_database where datname = '${name}'`);

export const writeMark = (name: string, mark: string) =>
  void psql(admin, `comment on database ${name} is '${mark}'`);

/** Uses the seed script of this checkout or of another one. */
export function seedDatabase(name: string, vents: number, tree?: string): void {
  dropDatabase(name);
  const env = {
    ...process.env,
    ...services,
    NODE_ENV: 'test',
    DATABASE_URL: urlOf(name),
    LOG_LEVEL: 'warn',
    PHONE_INDEX_COST: '4',
    SEED_TEXTS: 'benchmark',
  };
  execFileSync(process.execPath, [serverScript('migrate', tree)], { env, stdio: 'ignore' });
  const args = ['--users', String(Math.ceil(vents / 10)), '--vents', String(vents)];
  execFileSync(process.execPath, [seedScript(tree), ...args], { env, stdio: 'ignore' });
  psql(urlOf(name), 'vacuum analyze');
}

/** Larger databases are copied from this one. */
const seededSize = 100_000;

/** Returns a line for each database that had to be loaded. */
export async function prepareVents(
  sizes: readonly number[],
  { isFresh }: { readonly isFresh: boolean },
): Promise<string[]> {
  // Asked for a large size alone, it must not be seeded over the one that was made from the smallest.
  const seeded = Math.min(seededSize, ...sizes);
  if (sizes.some((size) => size % seeded !== 0)) throw new Error('each size is a multiple of the smallest');
  const messages: string[] = [];
  for (const size of [...new Set([seeded, ...sizes])].toSorted((a, b) => a - b)) {
    if (!isFresh && readMark(nameOf(size)) === markOf(size, seeded)) continue;
    const begunAt = performance.now();
    if (size === seeded) {
      seedDatabase(nameOf(size), size);
    } else {
      copyDatabase(nameOf(seeded), nameOf(size));
      await cloneVents(urlOf(nameOf(size)), size / seeded);
    }
    writeMark(nameOf(size), markOf(size, seeded));
    const megabytes = Number(psql(admin, `select pg_database_size('${nameOf(size)}') / 1048576`));
    messages.push(
      `${size} vents loaded in ${((performance.now() - begunAt) / 1000).toFixed(0)} s, ${megabytes} MB`,
    );
    console.log(messages.at(-1));
  }
  return messages;
}
