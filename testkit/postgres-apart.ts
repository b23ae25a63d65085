import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startTempPostgres, type TempPostgres } from './temp-postgres.ts';

/** Each login with its schema, as the server declares them. */
type Logins = readonly { readonly role: string; readonly schema: string }[];

/** The URLs of the logins, and of migrate for each schema, as their variables of the environment. */
export const apartEnv = (
  logins: Logins,
  urlOf: (schema: string, login: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    logins.flatMap(({ role, schema }) => [
      [`${role.toUpperCase()}_DATABASE_URL`, urlOf(schema, `app_${role}`)],
      [`${schema.toUpperCase()}_OWNER_URL`, urlOf(schema, 'app_migrator')],
    ]),
  );

/** A PostgreSQL server for each schema and for the job queue, with the logins of deploy/logins.sql and no schema yet. */
export async function startPostgresApart(
  logins: Logins,
  { portOf }: { portOf?: (schema: string) => number } = {},
): Promise<ReadonlyMap<string, TempPostgres>> {
  const servers = new Map<string, TempPostgres>();
  const script = fileURLToPath(new URL('../deploy/logins.sql', import.meta.url));
  for (const schema of new Set(logins.map((login) => login.schema))) {
    const server = await startTempPostgres(portOf ? { port: portOf(schema) } : {});
    servers.set(schema, server);
    const roles = logins.filter((login) => login.schema === schema).map(({ role }) => role);
    const passwords = [...roles, 'migrator'].map((role) => [`${role.toUpperCase()}_PASSWORD`, 'none']);
    execFileSync('psql', [server.url, '-X', '-v', `roles=${roles.join(' ')}`, '-f', script], {
      env: { PATH: process.env['PATH'], ...Object.fromEntries(passwords) },
    });
  }
  return servers;
}
