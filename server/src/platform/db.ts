import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from '../db/schema.ts';
import {
  declarationOf,
  rolesWithSchemas,
  type DatabaseRole,
  type Schema,
  type SchemaOf,
} from '../db/schemas.ts';
import {
  checkConnection,
  createConfirmedPool,
  insideTransaction,
  type OnSecondConnection,
} from './confirmed-pool.ts';
import { errorCodeOf } from './db-errors.ts';
import type { Logger } from './logger.ts';
import { connectionOf, rolesOf, type Logins } from './logins.ts';
import { enableDirectQueries, prepare, type OnStatement } from './prepared-sql.ts';

/** A pool, by its role. */
export type Db<R extends DatabaseRole> = Kysely<Tables[SchemaOf<R>]>;
export type IdentityDb = Db<'identity'>;
export type ContentDb = Db<'content'>;
export type MatchingDb = Db<'matching'>;
export type ModerationDb = Db<'moderation'>;

/** One pool for each schema, with a login of its own: PostgreSQL rejects a statement on another schema. */
export type Databases = { readonly [S in Schema]: Kysely<Tables[S]> } & {
  /** Requests that wait for a connection, by pool. */
  waiting(): Record<Schema, number>;
  /** Whether each pool can use its schema now, by a prepared statement on one of its connections. */
  areUsable(): Record<Schema, Promise<boolean>>;
  /** The names of the migrations that the database of each schema has. */
  applied(): Record<Schema, Promise<string[]>>;
  close(): Promise<void>;
};

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // Ids are bigint: a number is inexact above 2^53. A date is a calendar day, not a point in time.
    if (oid === pg.types.builtins.INT8) return BigInt;
    if (oid === pg.types.builtins.DATE) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

const usable = prepare<{ isUsable: boolean }>(`
  select has_schema_privilege(n.oid, 'usage') and exists (
           select from pg_class c where relnamespace = n.oid and relkind = 'r' and has_table_privilege(c.oid, 'select')
         ) as is_usable
    from pg_namespace n where nspname = $1`);

const applied = prepare<{ name: string }>('select name from public.migrations');

interface DatabaseOptions extends Logins {
  readonly poolSize: number;
  readonly logger: Logger;
  /** Of a statement, and of waiting for a connection; 0 means none. */
  readonly timeoutMs: number;
  /** Called with every statement before it runs; for tests that count them. */
  readonly onStatement?: (schema: Schema, text: string) => void;
  readonly onSecondConnection?: OnSecondConnection;
}

interface OpenPool {
  readonly pool: pg.Pool;
  readonly handle: Kysely<unknown>;
  readonly schema: string;
}

/** What every connection of a pool must be set to. */
export const settingsOf = (schema: Schema, timeoutMs: number): Readonly<Record<string, string>> => ({
  // No JIT: generic plans have a high estimated cost, and compiling takes 10 ms for a query that runs in 0.1 ms.
  jit: 'off',
  client_min_messages: 'warning',
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: '10000',
  timezone: 'UTC',
  ...declarationOf(schema).settings,
});

/** How a connection of the pool is opened. A login has the settings itself: a pooler would drop those of a connection. */
export function poolConnection(
  logins: Logins,
  { role, schema }: ReturnType<typeof rolesOf>[number],
  timeoutMs: number,
): { connectionString: string; options: string } {
  const { connectionString, options } = connectionOf(logins, role);
  if (logins.roleUrls[role] !== undefined) return { connectionString, options };
  const settings = Object.entries(settingsOf(schema, timeoutMs)).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  return { connectionString, options: `${settings.join(' ')} ${options}` };
}

/** Asked about each new connection before its first statement. */
type Verify = (client: pg.ClientBase, done: (error: Error | null) => void) => void;

interface PoolOptions extends Pick<
  DatabaseOptions,
  'poolSize' | 'timeoutMs' | 'logger' | 'onSecondConnection'
> {
  readonly role: DatabaseRole;
  readonly connection: ReturnType<typeof poolConnection>;
  readonly onStatement: OnStatement;
  /** Other than those of a pool on the primary. */
  readonly settings?: pg.PoolConfig & { readonly verify?: Verify };
}

/** A pool with its handle for queries. */
export function openPool({
  role,
  connection,
  poolSize,
  timeoutMs,
  logger,
  onStatement,
  onSecondConnection,
  settings = {},
}: PoolOptions): Pick<OpenPool, 'pool' | 'handle'> {
  const pool = new pg.Pool({
    ...connection,
    application_name: `unsaid-${role}`,
    max: poolSize,
    // Even a tool without a timeout gives up when it cannot connect.
    connectionTimeoutMillis: timeoutMs || 2000,
    // For a server that vanished without closing the connection: statement_timeout does not apply then.
    query_timeout: timeoutMs * 2,
    types,
    ...settings,
  });
  pool.on('error', (error) =>
    logger.warn({ event: 'database_connection_lost', role, errorCode: errorCodeOf(error) }),
  );
  // The pool handles errors of idle connections only. An unhandled error between two statements of a transaction would
  // end the process; the next statement fails anyway, and that error is reported.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { schema } = rolesWithSchemas.find((one) => one.role === role) as { schema: Schema };
  const beforeConnection = () => checkConnection(schema, onSecondConnection);
  const handle = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: createConfirmedPool(pool, onStatement, beforeConnection) as never }),
    plugins: [new CamelCasePlugin()],
  });
  enableDirectQueries(handle, pool, onStatement, beforeConnection);
  return { pool, handle };
}

export function openDatabases({
  poolSize,
  logger,
  timeoutMs,
  onStatement,
  onSecondConnection,
  ...logins
}: DatabaseOptions): Databases {
  const opened = new Map<Schema, OpenPool>();
  for (const place of rolesOf(logins)) {
    const { schema } = place;
    const connection = poolConnection(logins, place, timeoutMs);
    const onRoleStatement = onStatement && ((text: string) => onStatement(schema, text));
    opened.set(schema, {
      schema,
      ...openPool({
        ...place,
        connection,
        poolSize,
        timeoutMs,
        logger,
        onStatement: onRoleStatement,
        onSecondConnection,
      }),
    });
  }
  const bySchema = <T>(read: (one: OpenPool) => T) =>
    Object.fromEntries([...opened].map(([schema, one]) => [schema, read(one)]));
  return {
    ...bySchema(({ handle }) => handle),
    waiting: () => bySchema(({ pool }) => pool.waitingCount),
    areUsable: () =>
      bySchema(async ({ handle, schema }) => (await usable.rows(handle, schema))[0]?.isUsable === true),
    applied: () => bySchema(async ({ handle }) => (await applied.rows(handle)).map(({ name }) => name)),
    async close() {
      await Promise.all([...opened.values()].map(({ handle }) => handle.destroy()));
    },
  } as Databases;
}

export type AfterCommit = (effect: () => Promise<void> | void) => void;

interface TransactionOptions {
  /**
   * The other schemas of which the work takes a connection, because its lock must last until they have answered. Always
   * in one direction, so that no circle of waits forms: matching, then moderation, then identity and content. Tests
   * refuse any other connection inside of a transaction.
   */
  readonly alsoTakes?: readonly Schema[];
}

/**
 * Runs `work` in one transaction. Effects passed to `afterCommit` run only if it commits: slow or externally visible
 * work must not happen while rows are locked.
 */
export async function transaction<T, R>(
  db: Kysely<T>,
  work: (tx: Transaction<T>, afterCommit: AfterCommit) => Promise<R>,
  { alsoTakes = [] }: TransactionOptions = {},
): Promise<R> {
  const effects: (() => Promise<void> | void)[] = [];
  const result = await db
    .transaction()
    .execute((tx) => insideTransaction(alsoTakes, () => work(tx, (effect) => effects.push(effect))));
  for (const effect of effects) await effect();
  return result;
}

/**
 * The same for functions over a context. In `work` every function gets the context of the transaction, so none can take a
 * second connection of this schema by accident.
 */
export function inTransaction<T, C extends { readonly db: Kysely<T> }, R>(
  ctx: C & { readonly db: Kysely<T> },
  work: (ctx: C, afterCommit: AfterCommit) => Promise<R>,
  options?: TransactionOptions,
): Promise<R> {
  return transaction(ctx.db, (tx, afterCommit) => work({ ...ctx, db: tx }, afterCommit), options);
}
