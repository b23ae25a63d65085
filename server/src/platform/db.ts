import { createHash } from 'node:crypto';
import {
  CamelCasePlugin,
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import type { ContentTables, IdentityTables, MatchingTables } from '../db/schema.ts';
import type { Logger } from './logger.ts';
import type { Traces } from './traces.ts';

export type IdentityDb = Kysely<IdentityTables>;
export type ContentDb = Kysely<ContentTables>;
export type MatchingDb = Kysely<MatchingTables>;

/** One pool for each role: a statement on the wrong side of the house is refused by the database itself. */
export interface Databases {
  readonly identity: IdentityDb;
  readonly content: ContentDb;
  /** The content role again, with plans made for each question: a frequent word and a rare one need different ones. */
  readonly search: ContentDb;
  readonly matching: MatchingDb;
  waiting(): Record<PoolName, number>;
  close(): Promise<void>;
}

export type DatabaseRole = 'identity' | 'content' | 'matching';

const pools = ['identity', 'content', 'search', 'matching'] as const;
type PoolName = (typeof pools)[number];

/**
 * One plan for all pages is right for the feed and wrong for search. The keys of pairs have no statistics, so that a
 * dozen rows look like thousands: starting workers for them takes 12 ms, reading them 0.2.
 */
const planSettings: Partial<Record<PoolName, string>> = {
  content: 'plan_cache_mode=force_generic_plan',
  search: 'plan_cache_mode=force_custom_plan',
  matching: 'max_parallel_workers_per_gather=0',
};

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // Ids are bigint: a number would lie from 2^53 on. A date is a day, not a moment.
    if (oid === pg.types.builtins.INT8) return BigInt;
    if (oid === pg.types.builtins.DATE) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

interface Known {
  readonly name: string;
  /** Its first word, for traces. */
  readonly verb: string;
}

const known = new Map<string, Known>();

/** Statements are prepared under a hash of their text: parsing them anew costs 2-3 times the CPU. */
function knownAs(text: string): Known {
  let statement = known.get(text);
  if (!statement) {
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    statement = { name, verb: /\w+/u.exec(text)?.[0].toLowerCase() ?? '' };
    known.set(text, statement);
  }
  return statement;
}

interface Watchers {
  readonly room: string;
  readonly traces: Traces;
  readonly onStatement?: ((text: string) => void) | undefined;
}

/**
 * Past the builder, and with every row made once: it saves Node a third of what a statement costs it. For reading only:
 * what writes goes where a commit that was not confirmed is noticed.
 */
type Straight = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** By the handle that it belongs to. A transaction has none: its statements must stay on its connection. */
const straight = new WeakMap<object, Straight>();

const camelCase = (name: string) => name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());

function goStraight(pool: pg.Pool, { room, traces, onStatement }: Watchers): Straight {
  const columnsOf = new Map<string, readonly string[]>();
  return async (text, values) => {
    onStatement?.(text);
    const { name, verb } = knownAs(text);
    const query: pg.QueryArrayConfig<unknown[]> = { name, text, values: [...values], rowMode: 'array' };
    const { fields, rows } = await traces.span(`${room} ${verb}`, () => pool.query<unknown[]>(query));
    const columns = columnsOf.get(name) ?? fields.map((field) => camelCase(field.name));
    columnsOf.set(name, columns);
    return rows.map((fieldsOfRow) => {
      const row: Record<string, unknown> = {};
      for (const [index, column] of columns.entries()) row[column] = fieldsOfRow[index];
      return row;
    });
  };
}

/**
 * The write is on this server alone: its wait for a standby was cancelled, and a failover may still lose it.
 * PostgreSQL calls that a success with a warning. Nobody is told "done" on the strength of it.
 */
class UnconfirmedCommit extends Error {
  override name = 'UnconfirmedCommit';
}

/** By the place it comes from: its words are translated, and its code is that of every warning. */
const isUnconfirmed = ({ routine }: { readonly routine?: string | undefined }) =>
  routine === 'SyncRepWaitForLSN';

function preparing(pool: pg.Pool, { room, traces, onStatement }: Watchers) {
  const unconfirmed = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) =>
    client.on('notice', (notice) => {
      if (isUnconfirmed(notice)) unconfirmed.add(client);
    }),
  );
  return {
    async connect(): Promise<PostgresPoolClient> {
      const client = await traces.span(`${room} connection`, () => pool.connect());
      let isSilent = false;
      return {
        query: (async (text: string, values: readonly unknown[]) => {
          onStatement?.(text);
          const { name, verb } = knownAs(text);
          try {
            const answer = await traces.span(`${room} ${verb}`, () =>
              client.query({ name, text, values: [...values] }),
            );
            // Of a COMMIT as of a statement that commits by itself: the warning comes before the connection is free.
            if (unconfirmed.delete(client)) throw new UnconfirmedCommit();
            return answer;
          } catch (error) {
            // Given up on, not answered: whatever is asked on this connection next would wait behind it for ever.
            isSilent ||= error instanceof Error && error.message === 'Query read timeout';
            throw error;
          }
        }) as unknown as PostgresPoolClient['query'],
        // Told when undoing a transaction failed: such a connection is not for the next.
        release: (isBroken?: boolean) => client.release(isBroken === true || isSilent),
      };
    },
    end: () => pool.end(),
  };
}

interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly roleUrls: { readonly [R in DatabaseRole]?: string };
  readonly poolSize: number;
  readonly logger: Logger;
  readonly traces: Traces;
  readonly statementTimeoutMs?: number;
  /** Sees every statement before it runs; for tests that count them. */
  readonly onStatement?: (role: DatabaseRole, text: string) => void;
}

export function openDatabases({
  databaseUrl,
  roleUrls,
  poolSize,
  logger,
  traces,
  onStatement,
  statementTimeoutMs = 2000,
}: DatabaseOptions): Databases {
  const opened = new Map<PoolName, pg.Pool>();
  function open<T>(name: PoolName): Kysely<T> {
    const role = name === 'search' ? 'content' : name;
    const ownUrl = roleUrls[role];
    const takeRole = ownUrl ? '' : ` -c role=unsaid_${role}`;
    const planSetting = planSettings[name] ? ` -c ${planSettings[name]}` : '';
    const pool = new pg.Pool({
      connectionString: ownUrl ?? databaseUrl,
      // One plan for any page looks dear enough to be compiled first, from a few million rows on. That takes 10 ms; running it, 0.1.
      options: `-c jit=off -c client_min_messages=warning -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=10000 -c timezone=UTC${takeRole}${planSetting}`,
      application_name: `unsaid-${name}`,
      max: poolSize,
      connectionTimeoutMillis: 2000,
      // A peer that vanished without a word must not hold a request for ever.
      query_timeout: statementTimeoutMs * 2,
      types,
    });
    pool.on('error', (error) =>
      logger.warn({ event: 'database_connection_lost', role, errorCode: codeOf(error) }),
    );
    // The pool listens only while a connection lies idle. One that is lost between two statements of a transaction
    // would end the process; its next statement fails anyway, and that is told.
    pool.on('connect', (client) => client.on('error', () => {}));
    opened.set(name, pool);
    const watchers = {
      room: name,
      traces,
      onStatement: onStatement && ((text: string) => onStatement(role, text)),
    };
    const handle = new Kysely<T>({
      dialect: new PostgresDialect({ pool: preparing(pool, watchers) as never }),
      plugins: [new CamelCasePlugin()],
    });
    straight.set(handle, goStraight(pool, watchers));
    return handle;
  }
  const identity = open<IdentityTables>('identity');
  const content = open<ContentTables>('content');
  const search = open<ContentTables>('search');
  const matching = open<MatchingTables>('matching');
  return {
    identity,
    content,
    search,
    matching,
    waiting: () =>
      Object.fromEntries(pools.map((name) => [name, opened.get(name)?.waitingCount ?? 0])) as Record<
        PoolName,
        number
      >,
    async close() {
      await Promise.all([identity.destroy(), content.destroy(), search.destroy(), matching.destroy()]);
    },
  };
}

const texts = new WeakMap<TemplateStringsArray, string>();

/**
 * Like Kysely's `sql`, for the few statements that run on every page or in every search: the text is put together once and
 * passes by the builder, which costs Node more than sending it. Values only, no fragments.
 */
export function statement<R>(strings: TemplateStringsArray, ...values: readonly unknown[]) {
  let text = texts.get(strings);
  if (text === undefined) {
    text = strings.reduce((before, part, index) => `${before}$${index}${part}`);
    texts.set(strings, text);
  }
  return {
    async rows(db: Pick<ContentDb | IdentityDb | MatchingDb, 'executeQuery'>): Promise<R[]> {
      const go = knownAs(text).verb === 'select' ? straight.get(db) : undefined;
      if (go) return (await go(text, values)) as R[];
      return (await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))).rows;
    },
  };
}

/**
 * Runs work in one transaction. What must follow only if it commits goes to `afterCommit`:
 * nothing slow or visible outside happens while rows are locked.
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

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The statement that broke a unique constraint or index, by its name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;
}

/** True when the database is away or overwhelmed, rather than asked something wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof UnconfirmedCommit) return true;
  const code = codeOf(error);
  return (
    /^(?:08|53|57P)/u.test(code) ||
    code === '57014' || // statement timeout
    code === '25006' || // read-only: a standby that has not been promoted yet
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT'].includes(code) ||
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|not queryable/u.test(
      error.message,
    )
  );
}
