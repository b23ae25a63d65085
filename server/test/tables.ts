import type pg from 'pg';
import { schemaNames, type Schema } from '../src/db/schemas.ts';

/** Not the product's: the job queue, which has no personal data, and what tests create. */
const others = ['jobs', 'public'];

/**
 * The tables of the product's schemas, all of them by default, as schema.table. Throws if the database has a schema that
 * is not declared: a test that reads every table must not pass because it missed one.
 */
export async function listTables(
  on: Pick<pg.Client, 'query'> | pg.Pool,
  schemas: readonly Schema[] = schemaNames,
): Promise<string[]> {
  const { rows: found } = await (on as pg.Client).query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  );
  const undeclared = found.map(({ name }) => name).filter((name) => !isDeclared(name));
  if (undeclared.length > 0) throw new Error(`not in db/schemas.ts: ${undeclared.join()}`);
  const { rows } = await (on as pg.Client).query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1) order by 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

const isDeclared = (name: string) => [...schemaNames, ...others].includes(name);

/** Every schema but one. */
export const schemasBut = (...left: readonly Schema[]): Schema[] =>
  schemaNames.filter((schema) => !left.includes(schema));
