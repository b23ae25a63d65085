import { randomBytes } from 'node:crypto';
import { sql, type QueryExecutorProvider } from 'kysely';
import type pg from 'pg';
import { schemaNames, type Schema } from '../../db/schemas.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { derivedKeys, masterIdPurpose, proveRing } from './derived-keys.ts';
import { labelsOf, turningLabels, type KeyLabel } from './key-labels.ts';
import { createKeys, DataKeyError, type DataKey, type NewKey } from './keys.ts';
import type { LocalKey, MasterKey } from './master-key.ts';

/**
 * The data keys of each schema: random, in a table of that schema, wrapped by the master key (docs/keys.md). Read at the
 * start, and again and again for those that are added.
 */
export type DataKeys = Awaited<ReturnType<typeof openDataKeys>>;

interface DataKeysDeps {
  readonly databases: Readonly<Record<Schema, QueryExecutorProvider>>;
  readonly masterKey: MasterKey;
  /** MASTER_KEYS, which the first keys of an older database were derived from. */
  readonly ring: readonly LocalKey[];
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface KeyRow {
  readonly purpose: string;
  readonly no: number;
  readonly total: number;
  readonly wrapped: Buffer;
  readonly isSettled: boolean;
  readonly isOld: boolean;
  /** Of the whole table. */
  readonly version: string;
}
type OpenedRow = KeyRow & { readonly bytes: Buffer };

/** Several times in the minute after which a new key is used. */
const everyMs = 20_000;
const isOrigin = ({ no }: Pick<KeyRow, 'no'>) => no === 0;
const isKey = (row: Pick<KeyRow, 'no' | 'purpose'>) => !isOrigin(row) && row.purpose !== masterIdPurpose;
const isUsed = (schema: Schema, { purpose }: Pick<KeyRow, 'purpose'>) =>
  labelsOf(schema).includes(purpose as KeyLabel);

const tableOf = (schema: Schema) => sql.table(`${schema}.dataKeys`);
const versionOf = (schema: Schema) =>
  sql`(select md5(string_agg(wrapped, '' order by purpose, no)) from ${tableOf(schema)})`;
/** Bound to its row: wrapped keys cannot be exchanged, nor the count be lowered. */
const contextOf = (schema: Schema, { purpose, no, total }: Pick<KeyRow, 'purpose' | 'no' | 'total'>) =>
  `${schema} ${purpose} ${no} ${total}`;

async function readRows(db: QueryExecutorProvider, schema: Schema): Promise<readonly KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select purpose, no, total, wrapped, made_at < now() - interval '1 minute' as is_settled,
           made_at < now() - interval '1 year' as is_old, ${versionOf(schema)} as version
      from ${tableOf(schema)}`.execute(db);
  if (!rows.some(isOrigin)) throw lost(schema, 'the first row is missing');
  return rows;
}

const randomKeys = (labels: readonly KeyLabel[]): NewKey[] =>
  labels.map((label) => ({ label, no: 1, bytes: randomBytes(32) }));

const unopened = (schema: Schema, [row, ...others]: readonly Pick<KeyRow, 'purpose' | 'no'>[]) =>
  new DataKeyError(
    `MASTER_KEYS does not open the data key ${row?.purpose} ${row?.no} of ${schema}${others.length > 0 ? ` and ${others.length} more` : ''}: docs/keys.md`,
  );
const lost = (schema: Schema, what: string) =>
  new DataKeyError(`${schema}.data_keys: ${what}. Restore it from a backup: docs/keys.md`);

/**
 * Wraps the data keys of the schemas of one server anew, as their owner, in one transaction. What they encrypted stays as it
 * is. Returns how many.
 */
export async function rewrap(
  client: pg.ClientBase,
  schemas: readonly Schema[],
  masterKey: MasterKey,
): Promise<number> {
  let count = 0;
  await client.query('begin');
  for (const schema of schemas) {
    const table = `${schema}.data_keys`;
    // No process adds one meanwhile. They read on.
    await client.query(`lock table ${table} in exclusive mode`);
    const { rows } = await client.query<KeyRow>(`select purpose, no, total, wrapped from ${table}`);
    const found: typeof rows = [];
    const wrapped: Buffer[] = [];
    for (const row of rows.filter(isKey)) {
      const bytes = await masterKey.unwrap(row.wrapped, contextOf(schema, row));
      // Any login may add a row. One that no release uses and no key opens is not ours.
      if (!bytes && isUsed(schema, row)) throw unopened(schema, [row]);
      if (!bytes) continue;
      found.push(row);
      wrapped.push(await masterKey.wrap(bytes, contextOf(schema, row)));
    }
    await client.query(
      `update ${table} as t set wrapped = given.wrapped
         from unnest($1::text[], $2::smallint[], $3::bytea[]) as given (purpose, no, wrapped)
        where t.purpose = given.purpose and t.no = given.no`,
      [found.map(({ purpose }) => purpose), found.map(({ no }) => no), wrapped],
    );
    count += found.length;
  }
  await client.query('commit');
  return count;
}

export async function openDataKeys(deps: DataKeysDeps) {
  const { databases, masterKey, ring, logger, metrics } = deps;
  const opened = new Map<string, Buffer>();
  const keys = createKeys([]);
  let [isMissing, inUse] = [false, ''];
  let timer: NodeJS.Timeout | undefined;

  /** What no key of ours opens counts for nothing: any login may add a row. */
  async function openRows(schema: Schema, rows: readonly KeyRow[]) {
    const found = await Promise.all(
      rows.filter(isKey).map(async (row) => {
        const name = `${schema} ${row.purpose} ${row.no}`;
        const bytes = opened.get(name) ?? (await masterKey.unwrap(row.wrapped, contextOf(schema, row)));
        if (bytes) opened.set(name, bytes);
        return { ...row, bytes };
      }),
    );
    const read = found.filter((row): row is OpenedRow => row.bytes !== null);
    // One of a newer release is not needed, and stays.
    const unreadable = found.filter((row) => row.bytes === null && isUsed(schema, row));
    const missing = Math.max(0, ...read.map(({ total }) => total)) - read.length;
    if (missing > 0 && unreadable.length === 0)
      throw lost(schema, missing === 1 ? 'a row is missing' : `${missing} rows are missing`);
    return { unreadable, read };
  }

  /** Returns how many. None where another process was first, or the master key was replaced since the rows were read. */
  async function insert(
    schema: Schema,
    rows: readonly KeyRow[],
    read: readonly OpenedRow[],
    added: readonly NewKey[],
  ): Promise<number> {
    // Not from memory: this process may have the master key from before, and others could not open what it wraps. One
    // tells, because replacing wraps all.
    const [known] = read;
    if (known && !(await masterKey.unwrap(known.wrapped, contextOf(schema, known)))) return 0;
    const total = read.length + added.length;
    const wrapped = await Promise.all(
      added.map(({ label, no, bytes }) =>
        masterKey.wrap(bytes, contextOf(schema, { purpose: label, no, total })),
      ),
    );
    const { rows: inserted } = await sql`
      insert into ${tableOf(schema)} (purpose, no, total, wrapped)
      select purpose, no, ${total}::smallint, wrapped
        from unnest(${added.map(({ label }) => label)}::text[], ${added.map(({ no }) => no)}::smallint[],
                    ${wrapped}::bytea[]) as given (purpose, no, wrapped)
       where ${versionOf(schema)} = ${rows[0]?.version}
          on conflict do nothing returning no`.execute(databases[schema]);
    return inserted.length;
  }

  /** Whether the schema has tables with rows. Needs no right on them. */
  async function hasRows(schema: Schema): Promise<boolean> {
    const { rows } = await sql`
      select from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r' and relname <> 'data_keys'
                             and pg_relation_size(oid) > 0 limit 1`.execute(databases[schema]);
    return rows.length > 0;
  }

  /** Keys for a table that has none yet. */
  async function firstKeys(schema: Schema, rows: readonly KeyRow[]): Promise<NewKey[]> {
    const [origin, ...others] = rows.filter(isOrigin);
    if (others.length > 0) throw lost(schema, 'there are two first rows');
    if (origin?.purpose === `${schema} derived`) {
      if (schema === 'identity') await proveRing(databases.identity, ring, rows);
      return derivedKeys(ring, labelsOf(schema));
    }
    if (await hasRows(schema)) throw lost(schema, 'all rows but the first are missing');
    return randomKeys(labelsOf(schema));
  }

  /** Keys for uses that are new in this release. */
  function missingKeys(schema: Schema, read: readonly OpenedRow[]): NewKey[] {
    const known = new Set(read.map(({ purpose }) => purpose));
    return randomKeys(labelsOf(schema).filter((label) => !known.has(label)));
  }

  const nextKeys = (schema: Schema, read: readonly OpenedRow[], isDue: (newest: KeyRow) => boolean) =>
    turningLabels[schema].flatMap((label) => {
      const newest = read.filter(({ purpose }) => purpose === label).toSorted((a, b) => b.no - a.no)[0];
      return newest && isDue(newest) ? [{ label, no: newest.no + 1, bytes: randomBytes(32) }] : [];
    });

  /** The keys of a schema, with those that are due. */
  async function load(schema: Schema) {
    const rows = await readRows(databases[schema], schema);
    const found = await openRows(schema, rows);
    if (found.unreadable.length > 0) return found;
    const { read } = found;
    const added =
      read.length === 0
        ? await firstKeys(schema, rows)
        : [...missingKeys(schema, read), ...nextKeys(schema, read, ({ isOld }) => isOld)];
    if (added.length === 0) return found;
    await insert(schema, rows, read, added);
    return openRows(schema, await readRows(databases[schema], schema));
  }

  /** Returns the rows that did not open. */
  async function loadAll() {
    // Identity tells the master keys of an older database: nothing is added elsewhere with a wrong one.
    const [first, ...others] = schemaNames;
    const loaded = [await load(first as Schema), ...(await Promise.all(others.map(load)))];
    const found = loaded.flatMap(({ read }, n) =>
      read
        .filter((row) => isUsed(schemaNames[n] as Schema, row))
        .map((row): DataKey => ({ ...row, label: row.purpose as KeyLabel })),
    );
    const now = found
      .map(({ label, no, isSettled }) => `${label} ${no} ${isSettled}`)
      .toSorted()
      .join();
    if (now !== inUse) keys.replace(found);
    inUse = now;
    return loaded.map(({ unreadable }) => unreadable);
  }

  async function refresh(): Promise<boolean> {
    const found = await loadAll().then(
      (unreadable) => unreadable.flat().length,
      // A row was lost: what is in memory still works.
      (error: unknown) => (error instanceof DataKeyError ? null : undefined),
    );
    if (found === undefined) return false;
    if (found && !isMissing) logger.error({ event: 'master_key_missing', count: found });
    isMissing = (found ?? 0) > 0;
    metrics.keysMissing.set(found ?? 1);
    return true;
  }

  for (const [n, unreadable] of (await loadAll()).entries())
    if (unreadable.length > 0) throw unopened(schemaNames[n] as Schema, unreadable);
  metrics.keysMissing.set(0);

  function start(): void {
    timer = setTimeout(() => void refresh().finally(() => timer && start()), everyMs).unref();
  }
  return {
    keys,
    /** Reads now, and whether it could. While the database is away the known keys stay in use. */
    refresh,
    /** A key was added that the master key of this process does not open. */
    isKeyMissing: () => isMissing,
    /** Adds a key for each use that turns. Every process closes with it a minute later. */
    async turn(): Promise<number> {
      let count = 0;
      for (const schema of schemaNames) {
        const rows = await readRows(databases[schema], schema);
        const { read } = await openRows(schema, rows);
        count += await insert(
          schema,
          rows,
          read,
          nextKeys(schema, read, () => true),
        );
      }
      await refresh();
      return count;
    },
    start,
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
