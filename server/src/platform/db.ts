import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { ContentTables, IdentityTables, MatchingTables, ModerationTables } from '../db/schema.ts';
import { createConfirmedPool } from './confirmed-pool.ts';
import { errorCodeOf } from './db-errors.ts';
import type { Logger } from './logger.ts';
import { connectionOf, type Logins } from './logins.ts';
import { enableDirectQueries } from './prepared-sql.ts';

export type IdentityDb = Kysely<IdentityTables>;
export type ContentDb = Kysely<ContentTables>;
export type MatchingDb = Kysely<MatchingTables>;
export type ModerationDb = Kysely<ModerationTables>;

/** One pool for each schema, with a login of its own: PostgreSQL rejects a statement on another schema. */
export interface Databases {
  readonly identity: IdentityDb;
  readonly content: ContentDb;
  readonly matching: MatchingDb;
  readonly moderation: ModerationDb;
  /** Requests that wait for a connection, by pool. */
  waiting(): Record<DatabaseRole, number>;
  close(): Promise<void>;
}

export type DatabaseRole = 'identity' | 'content' | 'matching' | 'moderation';

/**
 * Generic plans suit content: no statement needs another plan for other values. Pair keys have no statistics, so a dozen
 * rows are estimated as thousands: starting parallel workers for them takes 12 ms, reading them 0.2 ms.
 */
const planSettings: Partial<Record<DatabaseRole, string>> = {
  content: 'plan_cache_mode=force_generic_plan',
  matching: 'max_parallel_workers_per_gather=0',
};

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // Ids are bigint: a number is inexact above 2^53. A date is a calendar day, not a point in time.
    if (oid === pg.types.builtins.INT8) return BigInt;
    if (oid === pg.types.builtins.DATE) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

interface DatabaseOptions extends Logins {
  readonly poolSize: number;
  readonly logger: Logger;
  /** Of a statement, and of waiting for a connection; 0 means none. */
  readonly timeoutMs: number;
  /** Called with every statement before it runs; for tests that count them. */
  readonly onStatement?: (role: DatabaseRole, text: string) => void;
}

export function openDatabases({
  databaseUrl,
  roleUrls,
  poolSize,
  logger,
  timeoutMs,
  onStatement,
}: DatabaseOptions): Databases {
  const opened = new Map<DatabaseRole, pg.Pool>();
  function open<T>(role: DatabaseRole): Kysely<T> {
    const { connectionString, options } = connectionOf({ databaseUrl, roleUrls }, role);
    const planSetting = planSettings[role] ? ` -c ${planSettings[role]}` : '';
    const pool = new pg.Pool({
      connectionString,
      // No JIT: generic plans have a high estimated cost, and compiling takes 10 ms for a query that runs in 0.1 ms.
      options: `-c jit=off -c client_min_messages=warning -c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=10000 -c timezone=UTC ${options}${planSetting}`,
      application_name: `unsaid-${role}`,
      max: poolSize,
      // Even a tool without a timeout gives up when it cannot connect.
      connectionTimeoutMillis: timeoutMs || 2000,
      // For a server that vanished without closing the connection: statement_timeout does not apply then.
      query_timeout: timeoutMs * 2,
      types,
    });
    pool.on('error', (error) =>
      logger.warn({ event: 'database_connection_lost', role, errorCode: errorCodeOf(error) }),
    );
    // The pool handles errors of idle connections only. An unhandled error between two statements of a transaction would
    // end the process; the next statement fails anyway, and that error is reported.
    pool.on('connect', (client) => client.on('error', () => {}));
    opened.set(role, pool);
    const onRoleStatement = onStatement && ((text: string) => onStatement(role, text));
    const handle = new Kysely<T>({
      dialect: new PostgresDialect({ pool: createConfirmedPool(pool, onRoleStatement) as never }),
      plugins: [new CamelCasePlugin()],
    });
    enableDirectQueries(handle, pool, onRoleStatement);
    return handle;
  }
  const identity = open<IdentityTables>('identity');
  const content = open<ContentTables>('content');
  const matching = open<MatchingTables>('matching');
  const moderation = open<ModerationTables>('moderation');
  return {
    identity,
    content,
    matching,
    moderation,
    waiting: () =>
      Object.fromEntries([...opened].map(([role, pool]) => [role, pool.waitingCount])) as Record<
        DatabaseRole,
        number
      >,
    async close() {
      await Promise.all([identity, content, matching, moderation].map((pool) => pool.destroy()));
    },
  };
}

/**
 * Runs `work` in one transaction. Effects passed to `afterCommit` run only if it commits: slow or externally visible
 * work must not happen while rows are locked.
 */
export async function transaction<T, R>(
  db: Kysely<T>,
  work: (tx: Transaction<T>, afterCommit: (effect: () => Promise<void> | void) => void) => Promise<R>,
): Promise<R> {
  const effects: (() => Promise<void> | void)[] = [];
  const result = await db.transaction().execute((tx) => work(tx, (effect) => effects.push(effect)));
  for (const effect of effects) await effect();
  return result;
}
