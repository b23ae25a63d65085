import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';

/** A table whose physical row order is rewritten, because it is the order of writing, which is a time. */
export interface RewrittenTable {
  /** As schema.table. */
  readonly name: string;
  /** The column whose order replaces the order of writing. Its values must be independent of time. */
  readonly order: string;
}

const registry = new Map<string, RewrittenTable>();

/** Registers a table for `rewriteRows`. Tests go through the registry, so no rewritten table is missing there. */
export function rewrittenTable(name: string, order: string): RewrittenTable {
  const table = { name, order };
  registry.set(name, table);
  return table;
}

export function listRewrittenTables(): readonly RewrittenTable[] {
  return [...registry.values()];
}

interface RewriteOptions {
  /** The rows, named `t`. All rows by default. */
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
