import { execFileSync } from 'node:child_process';
import { stopAtUsage } from '../../testkit/options.ts';
import { seedScript, serverScript } from '../../testkit/server-process.ts';
import { deleteKeys, dropDatabase as drop } from '../../testkit/leftovers.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import { psql } from './psql.ts';
import { cloneVents } from './clone-vents.ts';

/**
 * Databases with given numbers of vents, kept for the next run. The smallest is seeded as usual; the larger ones are
 * copies of it with cloned vents.
 */

/** Version of the generated data. Raise it with every change of the generator. */
const version = 8;

/** Of every database of a measurement. */
const prefix = 'unsaid_bench_';
export const nameOf = (vents: number) => `${prefix}vents_${vents}`;
export const urlOf = (name: string) => urlOfDatabase(findServices().DATABASE_URL, name);
/** One statement beside the databases. */
const onServer = (text: string) => psql(urlOf('postgres'), text);

/** The phone number of the viewer in every measurement: the first seeded person. */
export const viewerPhone = '+919900000001';

const markOf = (vents: number, seeded: number) =>
  `${vents} vents, cloned from ${seeded} seeded, version ${version}`;

/** And what its servers left in Redis. */
export function dropDatabase(name: string): void {
  drop(urlOf(name));
  deleteKeys(findServices().REDIS_URL, `${name}:`);
}

/** Those that are kept for the next run, and those of runs that were killed. */
export function dropAll(): string[] {
  const names = onServer(`select datname from pg_database where starts_with(datname, '${prefix}')`);
  const all = names.split('\n').filter(Boolean);
  for (const name of all) dropDatabase(name);
  return all;
}

/** Copies a database file by file. */
export function copyDatabase(from: string, to: string): void {
  dropDatabase(to);
  onServer(`create database ${to} template ${from} strategy file_copy`);
}

/** The comment on a database, which says what it was filled with. */
export const readMark = (name: string) =>
  onServer(`select shobj_description(oid, 'pg_database') from pg_database where datname = '${name}'`);

export const writeMark = (name: string, mark: string) =>
  void onServer(`comment on database ${name} is '${mark}'`);

/** Uses the seed script of this checkout or of another one. */
export function seedDatabase(name: string, vents: number, tree?: string): void {
  dropDatabase(name);
  const env = {
    ...process.env,
    ...findServices(),
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

/** Fewer have too few authors for the calls that only one person can make. */
const fewest = 1000;
/** Larger databases are copied from this one. */
const seededSize = 100_000;

/** Returns a line for each database that had to be loaded. */
export async function prepareVents(
  sizes: readonly number[],
  { isFresh }: { readonly isFresh: boolean },
): Promise<string[]> {
  // Asked for a large size alone, it must not be seeded over the one that was made from the smallest.
  const seeded = Math.min(seededSize, ...sizes);
  if (sizes.some((size) => size < fewest || size % seeded !== 0))
    stopAtUsage(`sizes of ${sizes.join()} vents: each is a multiple of the smallest, from ${fewest} on`);
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
    const megabytes = Number(onServer(`select pg_database_size('${nameOf(size)}') / 1048576`));
    messages.push(
      `${size} vents loaded in ${((performance.now() - begunAt) / 1000).toFixed(0)} s, ${megabytes} MB`,
    );
    console.log(messages.at(-1));
  }
  return messages;
}
