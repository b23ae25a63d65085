import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import { psql } from './crowd.ts';
import { multiplyVents } from './multiply.ts';

/**
 * Databases with as many vents as asked for, kept for the next run. The smallest is seeded as any other; the
 * larger ones are copies of it, multiplied.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Raised whenever they are filled otherwise than before. */
const shape = 3;

export const services = findServices();
const admin = urlOfDatabase(services.DATABASE_URL, 'postgres');
export const nameOf = (vents: number) => `unsaid_bench_vents_${vents}`;
export const urlOf = (name: string) => urlOfDatabase(services.DATABASE_URL, name);

/** Of the person who asks in every measurement: the first one of the seed, who has a number. */
export const viewerPhone = '+919900000001';

const markOf = (vents: number, seeded: number) =>
  `${vents} vents for measuring, of ${seeded} seeded, shape ${shape}`;

export const dropDatabase = (name: string) =>
  void psql(admin, `drop database if exists ${name} with (force)`);

/** A copy of a whole database, made by its files. */
export function copyDatabase(from: string, to: string): void {
  dropDatabase(to);
  psql(admin, `create database ${to} template ${from} strategy file_copy`);
}

/** What a database was filled with, so that the next run finds it. */
export const readMark = (name: string) =>
  psql(admin, `select shobj_description(oid, 'pg_database') from pg_database where datname = '${name}'`);

export const writeMark = (name: string, mark: string) =>
  void psql(admin, `comment on database ${name} is '${mark}'`);

/** With the seed of this checkout, or of another. */
export function seedDatabase(name: string, vents: number, tree = root): void {
  dropDatabase(name);
  const env = {
    ...process.env,
    ...services,
    NODE_ENV: 'test',
    DATABASE_URL: urlOf(name),
    LOG_LEVEL: 'warn',
    PHONE_INDEX_COST: '4',
  };
  execFileSync(process.execPath, [join(tree, 'server/src/bin/migrate.ts')], { env, stdio: 'ignore' });
  const args = ['--users', String(Math.ceil(vents / 10)), '--vents', String(vents)];
  execFileSync(process.execPath, [join(tree, 'server/src/bin/seed.ts'), ...args], { env, stdio: 'ignore' });
  psql(urlOf(name), 'vacuum analyze');
}

/** Tells what it did, with the seconds it took. */
export async function prepareVents(
  sizes: readonly number[],
  { isFresh }: { readonly isFresh: boolean },
): Promise<string[]> {
  const seeded = Math.min(...sizes);
  if (sizes.some((size) => size % seeded !== 0)) throw new Error('each size is a multiple of the smallest');
  const told: string[] = [];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (!isFresh && readMark(nameOf(size)) === markOf(size, seeded)) continue;
    const begunAt = performance.now();
    if (size === seeded) {
      seedDatabase(nameOf(size), size);
    } else {
      copyDatabase(nameOf(seeded), nameOf(size));
      await multiplyVents(urlOf(nameOf(size)), size / seeded);
    }
    writeMark(nameOf(size), markOf(size, seeded));
    const megabytes = Number(psql(admin, `select pg_database_size('${nameOf(size)}') / 1048576`));
    told.push(
      `${size} vents loaded in ${((performance.now() - begunAt) / 1000).toFixed(0)} s, ${megabytes} MB`,
    );
    console.log(told.at(-1));
  }
  return told;
}
