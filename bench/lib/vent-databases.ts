import { execFileSync } from 'node:child_process';
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
const shape = 1;

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

const isThere = (vents: number, seeded: number) =>
  psql(
    admin,
    `select count(*) from pg_database where datname = '${nameOf(vents)}'
        and shobj_description(oid, 'pg_database') = '${markOf(vents, seeded)}'`,
  ) === '1';

function seed(vents: number): void {
  const env = {
    ...process.env,
    ...services,
    NODE_ENV: 'test',
    DATABASE_URL: urlOf(nameOf(vents)),
    LOG_LEVEL: 'warn',
    PHONE_INDEX_COST: '4',
  };
  execFileSync(process.execPath, [`${root}server/src/bin/migrate.ts`], { env, stdio: 'ignore' });
  const args = ['--users', String(Math.ceil(vents / 10)), '--vents', String(vents)];
  execFileSync(process.execPath, [`${root}server/src/bin/seed.ts`, ...args], { env, stdio: 'ignore' });
  psql(urlOf(nameOf(vents)), 'vacuum analyze');
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
    if (!isFresh && isThere(size, seeded)) continue;
    const begunAt = performance.now();
    if (size === seeded) {
      dropDatabase(nameOf(size));
      seed(size);
    } else {
      copyDatabase(nameOf(seeded), nameOf(size));
      await multiplyVents(urlOf(nameOf(size)), size / seeded);
    }
    psql(admin, `comment on database ${nameOf(size)} is '${markOf(size, seeded)}'`);
    const megabytes = Number(psql(admin, `select pg_database_size('${nameOf(size)}') / 1048576`));
    told.push(
      `${size} vents loaded in ${((performance.now() - begunAt) / 1000).toFixed(0)} s, ${megabytes} MB`,
    );
    console.log(told.at(-1));
  }
  return told;
}
