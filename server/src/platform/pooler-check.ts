import pg from 'pg';
import { errorCodeOf, isDatabaseUnavailable } from './db-errors.ts';
import { poolConnection, settingsOf } from './db.ts';
import type { Logger } from './logger.ts';
import { variableOf, waitUntilAvailable } from './login-check.ts';
import { rolesOf, type Logins } from './logins.ts';

/**
 * Checks that nothing on the way to PostgreSQL, such as PgBouncer, breaks what every statement relies on, and that it leads
 * to a primary.
 */

const noOptions =
  'a pooler drops the settings of our connections: use logins of deploy/logins.sql, which have them (docs/operations.md)';
const wrongSettings = (names: readonly string[]) =>
  `the login lacks our ${names.join(', ')}: run deploy/logins.sql again, with DATABASE_TIMEOUT_MS if you set it`;
const noStatements =
  'a pooler loses prepared statements: use pool_mode = session, or PgBouncer 1.21 or newer with max_prepared_statements (docs/capacity.md)';
const noPrimary = 'leads to a standby, which refuses every write: give the address of the primary';

const readSettings = {
  name: 'unsaid_pooler_check',
  text: `select lower(name) as name, setting, pg_is_in_recovery() as "isStandby" from pg_settings`,
};
interface Setting {
  readonly name: string;
  readonly setting: string;
  readonly isStandby: boolean;
}

interface Place {
  readonly connection: ReturnType<typeof poolConnection>;
  readonly wanted: ReturnType<typeof settingsOf>;
}

async function findFault({ connection, wanted }: Place): Promise<string | null> {
  const [first, second] = [1, 2].map(() => {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000, query_timeout: 5000 });
    client.on('error', () => {});
    return client;
  }) as [pg.Client, pg.Client];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const { rows } = await first.query<Setting>(readSettings);
    // Takes over the connection that a pooler lent to the first client, which then gets another one.
    await second.query('begin');
    await second.query(readSettings);
    await first.query(readSettings);
    if (rows[0]?.isStandby) return noPrimary;
    const found = new Map(rows.map(({ name, setting }) => [name, setting]));
    const wrong = Object.keys(wanted).filter((name) => found.get(name) !== wanted[name]);
    if (wrong.length === 0) return null;
    return connection.options === '' ? wrongSettings(wrong) : noOptions;
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
      const wanted = settingsOf(place.schema, timeoutMs);
      const fault = await waitUntilAvailable(() => findFault({ connection, wanted }), logger);
      return fault === null ? [] : [`${variableOf(place.role)}: ${fault}`];
    }),
  );
  return faults.flat();
}
