import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { Schema } from '../db/schemas.ts';
import { isInsideJob, jobTimeoutMs } from './job.ts';
import { preparedName, type OnStatement } from './prepared-sql.ts';

/**
 * A commit that no standby has confirmed: the wait for synchronous replication was cancelled, and a failover may lose the
 * write. PostgreSQL reports a success with a warning. Here it is an error, so that no client is told "done".
 */
export class UnconfirmedCommit extends Error {
  override name = 'UnconfirmedCommit';
}

interface RunningTransaction {
  /** Though what it started goes on. */
  isOver: boolean;
  readonly alsoTakes: readonly Schema[];
}

/** The transaction in whose work a call runs. */
const transactions = new AsyncLocalStorage<RunningTransaction>();

/** Runs the work of a transaction. */
export async function insideTransaction<R>(alsoTakes: readonly Schema[], work: () => Promise<R>): Promise<R> {
  const mine = { isOver: false, alsoTakes };
  try {
    return await transactions.run(mine, work);
  } finally {
    mine.isOver = true;
  }
}

/** For what a transaction starts and does not wait for. */
export const outsideTransaction = <R>(work: () => R): R => transactions.exit(work);

/**
 * Called where a connection is taken while this work holds another. With full pools each waits for what the other holds,
 * until both time out.
 */
export type OnSecondConnection = (() => void) | undefined;

export function checkConnection(to: Schema, onSecond: OnSecondConnection): void {
  const running = onSecond && transactions.getStore();
  if (running && !running.isOver && !running.alsoTakes.includes(to)) onSecond();
}

/** Identified by the source routine: the message is translated, and the code is the same for every warning. */
const isUnconfirmed = ({ routine }: { readonly routine?: string | undefined }) =>
  routine === 'SyncRepWaitForLSN';

const jobTimeout = `set local statement_timeout = ${jobTimeoutMs}`;
const isBegin = (text: string) => /^(?:begin|start transaction)/u.test(text);

/** A pool for Kysely. Prepares each statement under a name, and throws `UnconfirmedCommit`. */
export function createConfirmedPool(
  pool: pg.Pool,
  onStatement: OnStatement,
  beforeConnection: () => void = () => {},
) {
  const unconfirmed = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) =>
    client.on('notice', (notice) => {
      if (isUnconfirmed(notice)) unconfirmed.add(client);
    }),
  );
  return {
    async connect(): Promise<PostgresPoolClient> {
      beforeConnection();
      const client = await pool.connect();
      let isUnusable = false;
      let isInTransaction = false;

      async function send(text: string, values: readonly unknown[]) {
        const name = preparedName(text);
        if (!isInsideJob()) return client.query({ name, text, values: [...values] });
        // The timeout of a job belongs to a transaction: a pooler would hand one of a connection on.
        if (isBegin(text)) return client.query(`${text}; ${jobTimeout}`);
        const query = { name, text, values: [...values], query_timeout: jobTimeoutMs * 2 };
        if (isInTransaction) return client.query(query);
        await client.query(`begin; ${jobTimeout}`);
        try {
          const result = await client.query(query);
          await client.query('commit');
          return result;
        } catch (error) {
          isUnusable = true;
          throw error;
        }
      }

      return {
        query: (async (text: string, values: readonly unknown[]) => {
          onStatement?.(text);
          try {
            const result = await send(text, values);
            if (isBegin(text)) isInTransaction = true;
            if (text === 'commit' || text === 'rollback') isInTransaction = false;
            // For COMMIT and for a statement outside a transaction. The notice arrives before the result.
            if (unconfirmed.delete(client)) throw new UnconfirmedCommit();
            return result;
          } catch (error) {
            // The statement may still be running. The next one on this connection would wait behind it.
            isUnusable ||= error instanceof Error && error.message === 'Query read timeout';
            throw error;
          }
        }) as unknown as PostgresPoolClient['query'],
        // `isBroken` is true when a rollback failed. Such a connection is closed, not reused.
        release: (isBroken?: boolean) => client.release(isBroken === true || isUnusable),
      };
    },
    end: () => pool.end(),
  };
}
