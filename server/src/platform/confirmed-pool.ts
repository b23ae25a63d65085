import type { PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { preparedName, type OnStatement } from './prepared-sql.ts';

/**
 * A commit that no standby has confirmed: the wait for synchronous replication was cancelled, and a failover may lose the
 * write. PostgreSQL reports a success with a warning. Here it is an error, so that no client is told "done".
 */
export class UnconfirmedCommit extends Error {
  override name = 'UnconfirmedCommit';
}

/** Identified by the source routine: the message is translated, and the code is the same for every warning. */
const isUnconfirmed = ({ routine }: { readonly routine?: string | undefined }) =>
  routine === 'SyncRepWaitForLSN';

/** A pool for Kysely. Prepares each statement under a name, and throws `UnconfirmedCommit`. */
export function createConfirmedPool(pool: pg.Pool, onStatement: OnStatement) {
  const unconfirmed = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) =>
    client.on('notice', (notice) => {
      if (isUnconfirmed(notice)) unconfirmed.add(client);
    }),
  );
  return {
    async connect(): Promise<PostgresPoolClient> {
      const client = await pool.connect();
      let hasTimedOut = false;
      return {
        query: (async (text: string, values: readonly unknown[]) => {
          onStatement?.(text);
          try {
            const result = await client.query({ name: preparedName(text), text, values: [...values] });
            // For COMMIT and for a statement outside a transaction. The notice arrives before the result.
            if (unconfirmed.delete(client)) throw new UnconfirmedCommit();
            return result;
          } catch (error) {
            // The statement may still be running. The next one on this connection would wait behind it.
            hasTimedOut ||= error instanceof Error && error.message === 'Query read timeout';
            throw error;
          }
        }) as unknown as PostgresPoolClient['query'],
        // `isBroken` is true when a rollback failed. Such a connection is closed, not reused.
        release: (isBroken?: boolean) => client.release(isBroken === true || hasTimedOut),
      };
    },
    end: () => pool.end(),
  };
}
