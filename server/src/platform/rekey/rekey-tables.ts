import pg from 'pg';
import type { RekeyedTable, Row, Value } from './rekeyed-table.ts';

/**
 * New values are computed here, batch by batch, into a table beside each table, and put in force by one statement in one
 * transaction. So a kill leaves no half, readers see the old values or the new ones, and every row of a table has the same
 * transaction and keeps its place among the others: neither says what one person wrote.
 */
const batchSize = 5000;

/**
 * Of each connection. A table is joined with what is computed for it while that grows: hash joins alone do not become
 * quadratic, and they keep the order of rows.
 */
export const rekeySettings = `
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
  set enable_nestloop = off; set enable_mergejoin = off; set cursor_tuple_fraction = 1; set work_mem = '64MB'`;

const id = pg.escapeIdentifier;
const quoted = (name: string) => name.split('.').map(id).join('.');
const stagingOf = (name: string) => quoted(name.replace('.', '.rekeyed_'));

/** Whether the row `t` has its new values in `s`. */
const isStaged = ({ key, changes }: RekeyedTable) =>
  [
    ...key.map((column) => `s.${id(`key_${column}`)} = t.${id(column)}`),
    ...changes.map((column) => `s.${id(`old_${column}`)} is not distinct from t.${id(column)}`),
  ].join(' and ');
const unstaged = (table: RekeyedTable) =>
  `from ${quoted(table.name)} as t
    where not exists (select from ${stagingOf(table.name)} as s where ${isStaged(table)})`;

const textOfValue = (value: Value) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);

async function readTypes(client: pg.Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** What an earlier run computed may be for another key. */
export async function dropStaged(client: pg.Client, table: RekeyedTable): Promise<void> {
  await client.query(`drop table if exists ${stagingOf(table.name)}`);
}

/** Computes the new values of all rows that have none yet. Returns how many. */
export async function stageTable(
  clients: { readonly reader: pg.Client; readonly writer: pg.Client },
  table: RekeyedTable,
): Promise<number> {
  const { reader, writer } = clients;
  const { key, changes, reads = {} } = table;
  const types = await readTypes(writer, quoted(table.name));
  const columns = [
    ...key.map((column) => ({ as: `key_${column}`, of: column })),
    ...changes.flatMap((column) => [
      { as: `old_${column}`, of: column },
      { as: `new_${column}`, of: column },
    ]),
  ];
  const named = columns.map(({ as, of }) => `t.${id(of)} as ${id(as)}`);
  await writer.query(
    `create unlogged table if not exists ${stagingOf(table.name)} as
       select ${named.join(', ')} from ${quoted(table.name)} as t with no data`,
  );
  await writer.query(`analyze ${stagingOf(table.name)}`);
  const read = [
    ...[...new Set([...key, ...changes])].map(
      (column) => `t.${id(column)}${types.get(column) === 'bytea' ? '' : '::text'} as ${id(column)}`,
    ),
    ...Object.entries(reads).map(([name, expression]) => `${expression} as ${id(name)}`),
  ];
  const casts = columns.map(({ of }, n) => `given.c${n}::${types.get(of) ?? 'text'}`);
  const insert = `insert into ${stagingOf(table.name)}
    select ${casts.join(', ')}
      from unnest(${columns.map((_, n) => `$${n + 1}::text[]`).join(', ')})
        as given (${columns.map((_, n) => `c${n}`).join(', ')})`;
  let count = 0;
  await reader.query('begin');
  await reader.query(`declare todo no scroll cursor for select ${read.join(', ')} ${unstaged(table)}`);
  for (;;) {
    const { rows } = await reader.query<Row>(`fetch ${batchSize} from todo`);
    if (rows.length === 0) break;
    const staged = rows.map((row) => ({ row, changed: table.rekey(row) }));
    await writer.query(
      insert,
      columns.map(({ as, of }) =>
        staged.map(({ row, changed }) =>
          textOfValue((as.startsWith('new_') ? changed[of] : row[of]) ?? null),
        ),
      ),
    );
    count += rows.length;
  }
  await reader.query('commit');
  return count;
}

/** In a transaction. False where rows were written meanwhile: they are to be staged first. */
export async function lockStaged(client: pg.Client, table: RekeyedTable): Promise<boolean> {
  await client.query(`lock table ${quoted(table.name)} in share row exclusive mode`);
  await client.query(`analyze ${stagingOf(table.name)}`);
  const { rows } = await client.query<{ is: boolean }>(`select exists (select ${unstaged(table)}) as is`);
  return rows[0]?.is === false;
}

/** In the same transaction. */
export async function applyStaged(client: pg.Client, table: RekeyedTable): Promise<number> {
  const set = table.changes.map((column) => `${id(column)} = s.${id(`new_${column}`)}`);
  const { rowCount } = await client.query(
    `update ${quoted(table.name)} as t set ${set.join(', ')}
       from ${stagingOf(table.name)} as s where ${isStaged(table)}`,
  );
  await client.query(`drop table ${stagingOf(table.name)}`);
  return rowCount ?? 0;
}
