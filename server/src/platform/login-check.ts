import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isDatabaseUnavailable } from './db.ts';
import type { Logger } from './logger.ts';
import { loginRoles, type LoginRole, type Logins } from './logins.ts';

/**
 * Everything that a login can become counts, not only what it is: `set role` is one statement away. Read from the
 * catalogue of its own database, so schemas in separate databases are each checked where they are.
 */
const reach = `
  with login as (
    select oid, rolname, rolsuper from pg_roles where rolname = session_user
  ), reachable as (
    select r.* from pg_roles r, login where not login.rolsuper and pg_has_role(login.oid, r.oid, 'member')
  ), other_schema as (
    select oid, nspname from pg_namespace where nspname = any($2) and nspname <> $1
  )
  select (select rolname from login) as name,
         array(
           select 'is a superuser' from login where rolsuper
           union select 'can create roles' from reachable where rolcreaterole
           union select 'can replicate, and so copy every file' from reachable where rolreplication
           union select 'bypasses row security' from reachable where rolbypassrls
           union select 'can become ' || rolname from reachable
             where starts_with(rolname, 'pg_')
                or exists (select from unnest($2::text[]) schema where schema <> $1 and rolname = 'unsaid_' || schema)
           union select 'reaches the schema ' || nspname from reachable r, other_schema s
             where has_schema_privilege(r.oid, s.oid, 'usage') or has_schema_privilege(r.oid, s.oid, 'create')
           union select 'reads a table of the schema ' || nspname from reachable r, other_schema s
             join pg_class c on c.relnamespace = s.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
             where has_any_column_privilege(r.oid, c.oid, 'select')
           union select 'owns ' || c.oid::regclass from reachable r join pg_class c on c.relowner = r.oid
             join pg_namespace n on n.oid = c.relnamespace
             where n.nspname = any($2) and n.nspname <> 'jobs' and c.relkind in ('r', 'p', 'v', 'm', 'f')
           union select 'cannot use the schema ' || $1 from pg_namespace n, login
             where n.nspname = $1 and not has_schema_privilege(login.oid, n.oid, 'usage')
         ) as wrong`;

async function ask(connectionString: string, role: LoginRole): Promise<{ name: string; wrong: string[] }> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; wrong: string[] }>(reach, [role, loginRoles]);
    return rows[0] ?? { name: '', wrong: ['is nobody'] };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return { name: '', wrong: [`cannot sign in: ${error instanceof Error ? error.message : 'unknown'}`] };
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * What is wrong with the logins of a deployment, in words for its operator: each must open its own schema and nothing
 * else. Waits for a database that is away, since a server that was not checked must not begin.
 */
export async function checkLogins(roleUrls: Logins['roleUrls'], logger: Logger): Promise<string[]> {
  const problems: string[] = [];
  const usedBy = new Map<string, string>();
  for (const role of loginRoles) {
    const variable = `${role.toUpperCase()}_DATABASE_URL`;
    const { name, wrong } = await untilThere(() => ask(roleUrls[role] ?? '', role), logger);
    // A superuser can do all of the rest as well; one line says enough.
    for (const what of wrong) problems.push(`${variable}: ${name || 'the login'} ${what}`);
    const other = usedBy.get(name);
    if (name && other) problems.push(`${variable} and ${other} share the login ${name}`);
    usedBy.set(name, variable);
  }
  return problems;
}

async function untilThere<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      logger.warn({ event: 'database_awaited' });
      await pause(1000);
    }
  }
}
