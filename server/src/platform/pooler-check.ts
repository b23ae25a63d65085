import pg from 'pg';
import { errorCodeOf, isDatabaseUnavailable } from './db-errors.ts';
import { poolConnection } from './db.ts';
import type { Logger } from './logger.ts';
import { variableOf, waitUntilAvailable } from './login-check.ts';
import { rolesOf, type Logins } from './logins.ts';

/** Checks that nothing on the way to PostgreSQL, such as PgBouncer, breaks what every statement relies on. */

const noOptions =
  'a pooler drops the settings of our connections: set ignore_startup_parameters = options there, and alter role … set timezone = UTC, statement_timeout = 2000, … for each login (docs/capacity.md)';
const noStatements =
  'a pooler loses prepared statements: use pool_mode = session, or PgBouncer 1.21 or newer with max_prepared_statements (docs/capacity.md)';

interface Settings {
  readonly timezone: string;
  readonly timeout: string;
}
const readSettings = {
  name: 'unsaid_pooler_check',
  text: "select current_setting('timezone') as timezone, current_setting('statement_timeout') as timeout",
};

async function findFault(
  connection: ReturnType<typeof poolConnection>,
  timeoutMs: number,
): Promise<string | null> {
  const [first, second] = [1, 2].map(() => {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000, query_timeout: 5000 });
    client.on('error', () => {});
    return client;
  }) as [pg.Client, pg.Client];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const { rows } = await first.query<Settings>(readSettings);
    // Takes over the connection that a pooler lent to the first client, which then gets another one.
    await second.query('begin');
    await second.query(readSettings);
    await first.query(readSettings);
    const isSet = rows[0]?.timezone === 'UTC' && (timeoutMs === 0 || rows[0].timeout !== '0');
    return isSet ? null : noOptions;
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
      const fault = await waitUntilAvailable(() => findFault(connection, timeoutMs), logger);
      return fault === null ? [] : [`${variableOf(place.role)}: ${fault}`];
    }),
  );
  return faults.flat();
}
