import pg from 'pg';
import { errorCodeOf, isDatabaseUnavailable } from './db-errors.ts';
import { poolConnection } from './db.ts';
import type { Logger } from './logger.ts';
import { variableOf, waitUntilAvailable } from './login-check.ts';
import { rolesOf, type Logins } from './logins.ts';

/**
 * Checks that nothing on the way to PostgreSQL, such as PgBouncer, breaks what every statement relies on, and that it leads
 * to a primary.
 */

const noOptions =
  'a pooler drops the settings of our connections: use logins of deploy/logins.sql, which have them (docs/operations.md)';
const noTimeout = 'the login has no statement_timeout: run deploy/logins.sql again';
const noStatements =
  'a pooler loses prepared statements: use pool_mode = session, or PgBouncer 1.21 or newer with max_prepared_statements (docs/capacity.md)';
const noPrimary = 'leads to a standby, which refuses every write: give the address of the primary';

const readState = {
  name: 'unsaid_pooler_check',
  text: `select current_setting('statement_timeout') <> '0' as "hasTimeout", pg_is_in_recovery() as "isStandby"`,
};
interface State {
  readonly hasTimeout: boolean;
  readonly isStandby: boolean;
}

async function findFault(connection: ReturnType<typeof poolConnection>): Promise<string | null> {
  const [first, second] = [1, 2].map(() => {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000, query_timeout: 5000 });
    client.on('error', () => {});
    return client;
  }) as [pg.Client, pg.Client];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const { rows } = await first.query<State>(readState);
    // Takes over the connection that a pooler lent to the first client, which then gets another one.
    await second.query('begin');
    await second.query(readState);
    await first.query(readState);
    if (rows[0]?.isStandby) return noPrimary;
    if (rows[0]?.hasTimeout) return null;
    return connection.options === '' ? noTimeout : noOptions;
  } catch (error) {
    if (/startup parameter/u.test(String(error))) return noOptions;
    if (['26000', '42P05'].includes(errorCodeOf(error))) return noStatements;
    if (isDatabaseUnavailable(error)) throw error;
    return `cannot connect: ${error instanceof Error ? error.message : 'unknown'}`;
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => {})));
  }
}

/** The faults as messages for the operator. Waits until the database is reachable. */
export async function checkPoolers(logins: Logins, timeoutMs: number, logger: Logger): Promise<string[]> {
  const faults = await Promise.all(
    rolesOf(logins).map(async (place) => {
      const connection = poolConnection(logins, place, timeoutMs);
      const fault = await waitUntilAvailable(() => findFault(connection), logger);
      return fault === null ? [] : [`${variableOf(place.role)}: ${fault}`];
    }),
  );
  return faults.flat();
}
