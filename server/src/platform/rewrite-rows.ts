import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Schema } from '../db/schemas.ts';
import { transaction } from './db.ts';
import { rowsOf, type JobRows, type RowsOf } from './job.ts';
import { inPages } from './pages.ts';

/** A table whose physical row order is rewritten, because it is the order of writing, which is a time. */
export interface RewrittenTable {
  /** As schema.table. */
  readonly name: string;
  /** The column whose order replaces the order of writing. Its values must be independent of time. */
  readonly order: string;
}

/** One that jobs rewrite some rows at a time. */
export interface BatchedTable extends RewrittenTable {
  readonly rowsOf: RowsOf<RowKey>;
  readonly around: Around;
}

type RowKey = Buffer | bigint | string;
type IsInBatch = RawBuilder<SqlBool>;

/** Excludes writers to the rows of a batch, which would miss a row between its deletion and its insertion. */
type Around = <T>(tx: Kysely<T>, isInBatch: IsInBatch, rewrite: () => Promise<void>) => Promise<void>;

const registry = new Map<string, RewrittenTable>();

/** Registers a table. Tests go through the registry, so no rewritten table is missing there. */
export function registered<T extends RewrittenTable>(table: T): T {
  registry.set(table.name, table);
  return table;
}

/** Writers wait for `atOnce` rows. */
export function rewrittenTable(
  name: `${Schema}.${string}`,
  order: string,
  { atOnce = 1000, around = (_tx, _batch, rewrite) => rewrite() }: { atOnce?: number; around?: Around } = {},
): BatchedTable {
  const keyOf = (key: RowKey) => (typeof key === 'string' ? Buffer.from(key) : key);
  const rows = rowsOf(name.split('.')[0] as Schema, `order of ${name}`, keyOf, atOnce);
  return registered({ name, order, rowsOf: rows, around });
}

export function listRewrittenTables(): readonly RewrittenTable[] {
  return [...registry.values()];
}

/**
 * Writers wait at a lock of the table and find the rows afterwards; readers see them all the time. It gives up before
 * PostgreSQL looks for a deadlock: a request must not fail in its place.
 */
export const lockingOutWriters = (name: `${Schema}.${string}`, order: string) =>
  rewrittenTable(name, order, {
    atOnce: 500,
    async around(tx, _isInBatch, rewrite) {
      await sql`set local lock_timeout = '500ms'`.execute(tx);
      await sql`lock table ${sql.table(name)} in exclusive mode`.execute(tx);
      await rewrite();
    },
  });

interface RewriteOptions {
  /** All rows by default. */
  readonly where?: RawBuilder<SqlBool>;
  /** Columns that change, by their SQL name. */
  readonly set?: Readonly<Record<string, boolean>>;
}

/**
 * Deletes rows and inserts them again in the order of a column. The statement names no other column: PostgreSQL expands
 * the row type while it holds the table's lock, so a column that a newer release adds keeps its values. A generated
 * column makes the statement fail; none exists.
 */
export async function rewriteRows<T>(
  tx: Kysely<T>,
  { name, order }: RewrittenTable,
  { where = sql<SqlBool>`true`, set = {} }: RewriteOptions = {},
): Promise<void> {
  const table = sql.table(name);
  await sql`
    with gone as (delete from ${table} as t where ${where} returning t)
    insert into ${table}
    select written.* from gone cross join lateral jsonb_populate_record(gone.t, ${JSON.stringify(set)}::jsonb) as written
     order by written.${sql.ref(order)}`.execute(tx);
}

/** The keys of one batch, in their order. */
export async function listKeys<T>(
  db: Kysely<T>,
  table: BatchedTable,
  after: RowKey | null,
  { where = sql<SqlBool>`true` }: RewriteOptions = {},
): Promise<RowKey[]> {
  const order = sql.ref(table.order);
  const isAfter = after === null ? sql`true` : sql`${order} > ${after}`;
  const { rows } = await sql<{ key: RowKey }>`
    select ${order} as key from ${sql.table(table.name)}
     where ${where} and ${isAfter} order by ${order} limit ${table.rowsOf.atOnce}`.execute(db);
  return rows.map(({ key }) => key);
}

export async function rewriteBatch<T>(
  tx: Kysely<T>,
  table: BatchedTable,
  keys: readonly RowKey[],
  { where = sql<SqlBool>`true`, set }: RewriteOptions = {},
): Promise<void> {
  const [first] = keys;
  const type = Buffer.isBuffer(first)
    ? sql`bytea[]`
    : typeof first === 'bigint'
      ? sql`bigint[]`
      : sql`text[]`;
  const isInBatch = sql<SqlBool>`${where} and ${sql.ref(table.order)} = any(${keys}::${type})`;
  await table.around(tx, isInBatch, () => rewriteRows(tx, table, { where: isInBatch, ...(set && { set }) }));
}

/** Rewrites rows of a table in the order of its column, some at a time. */
export async function rewriteTable<T>(
  db: Kysely<T>,
  rows: JobRows,
  table: BatchedTable,
  options?: RewriteOptions,
): Promise<void> {
  const pages = inPages<RowKey, RowKey | null>(table.rowsOf.atOnce, {
    from: null,
    list: (after) => listKeys(db, table, after, options),
    cursorOf: (key) => key,
  });
  for await (const keys of pages)
    await rows.eachBatch(keys, table.rowsOf, (batch) =>
      transaction(db, (tx) => rewriteBatch(tx, table, batch, options)),
    );
}
