import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { errorCodeOf, isDatabaseUnavailable } from './db-errors.ts';
import type { Logger } from './logger.ts';
import { loginRoles, loginsWithSchemas, type LoginRole, type Logins } from './logins.ts';

/**
 * Checks every role that a login can become, not only the login itself: `set role` is one statement away. Reads the
 * catalogue of the login's own database, so schemas in separate databases are each checked in theirs. $1 is the login's
 * schema, $2 all schemas, $3 its role, $4 all roles. Oids below 16384 belong to objects of PostgreSQL itself.
 */
const rightsQuery = `
  with login as (
    select oid, rolname, rolsuper from pg_roles where rolname = session_user
  ), role as (
    select r.* from pg_roles r, login where not login.rolsuper and pg_has_role(login.oid, r.oid, 'member')
  ), reachable as (
    -- A superuser has every right; it is reported once, not for each right.
    select * from role where not rolsuper
  ), schema as (
    select *, nspname = any($2) and nspname <> $1 as is_other, nspname = 'jobs' and $1 = 'jobs' as is_own_queue
      from pg_namespace
  )
  select (select rolname from login) as name,
         array(
           select 'is a superuser' from login where rolsuper
           union select 'can become the superuser ' || rolname from role where rolsuper
           union select 'can create roles' from reachable where rolcreaterole
           union select 'can create databases' from reachable where rolcreatedb
           union select 'can replicate, and so copy every file' from reachable where rolreplication
           union select 'bypasses row security' from reachable where rolbypassrls
           union select 'can become ' || rolname from reachable
             where starts_with(rolname, 'pg_')
                or exists (select from unnest($4::text[]) role where role <> $3 and rolname = 'unsaid_' || role)
           union select 'can grant the role ' || roleid::regrole from reachable r
             join pg_auth_members m on m.member = r.oid where admin_option

           union select 'reaches the schema ' || nspname from reachable r, schema s
             where is_other and has_schema_privilege(r.oid, s.oid, 'usage, create')
           union select 'has rights to a table of the schema ' || nspname from reachable r, schema s
             join pg_class c on c.relnamespace = s.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
             where is_other and (has_any_column_privilege(r.oid, c.oid, 'select, insert, update, references')
                                 or has_table_privilege(r.oid, c.oid, 'delete, truncate, trigger'))
           union select 'cannot use the schema ' || $1 from schema s, login
             where nspname = $1 and not has_schema_privilege(login.oid, s.oid, 'usage')

           union select 'can write to ' || c.oid::regclass || ', as the console alone may' from reachable r, schema s
             join pg_class c on c.relnamespace = s.oid and relname in ('moderators', 'passkeys', 'sessions')
             where nspname = 'moderation' and $3 = 'moderation' and has_any_column_privilege(r.oid, c.oid, 'insert, update')

           -- A role with more rights may run what this login creates or changes.
           union select 'can create in the schema ' || nspname from reachable r, schema s
             where not is_own_queue and (nspowner = r.oid or has_schema_privilege(r.oid, s.oid, 'create'))
           union select 'can create schemas' from reachable r
             where has_database_privilege(r.oid, current_database(), 'create')
           union select 'owns ' || o.identity from reachable r
             join pg_shdepend d on d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid and d.deptype = 'o'
              and d.dbid = (select oid from pg_database where datname = current_database()),
             pg_identify_object(d.classid, d.objid, d.objsubid) o
             where o.schema is not null and not (o.schema = 'jobs' and $1 = 'jobs')
           union select 'can put a trigger on ' || c.oid::regclass from reachable r, schema s
             join pg_class c on c.relnamespace = s.oid and c.relkind in ('r', 'p', 'v', 'f')
             where nspname = $1 and not is_own_queue and has_table_privilege(r.oid, c.oid, 'trigger')

           -- Code that runs with the rights of another role, or outside the tables.
           union select 'can call ' || p.oid::regprocedure || ' with the rights of its owner' from reachable r, pg_proc p
             where prosecdef and has_function_privilege(r.oid, p.oid, 'execute')
               and p.proowner not in (select oid from reachable)
               -- These only write rows of their schema again, in another order.
               and ($3, p.oid::regprocedure::text) not in (
                 ('identity', 'identity.lay_out(text)'),
                 ('content', 'content.rewrite_taken_slots(bytea,integer,boolean)'))
           union select 'reads ' || c.oid::regclass || ' with the rights of its owner' from reachable r, pg_class c
             where c.oid >= 16384 and relkind in ('v', 'm') and has_any_column_privilege(r.oid, c.oid, 'select')
               and c.relowner not in (select oid from reachable)
               and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
           union select 'can call ' || p.oid::regprocedure || ', which is not for everybody' from reachable r, pg_proc p
             join pg_init_privs i on i.classoid = 'pg_proc'::regclass and i.objoid = p.oid
             where has_function_privilege(r.oid, p.oid, 'execute')
           union select 'can use the server ' || srvname from reachable r, pg_foreign_server s
             where has_server_privilege(r.oid, s.oid, 'usage')
           union select 'can set ' || parname from reachable r, pg_parameter_acl
             where has_parameter_privilege(r.oid, parname, 'set, alter system')
         ) as wrong`;

async function queryRights(
  connectionString: string,
  role: LoginRole,
): Promise<{ name: string; wrong: string[] }> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    // A login may have a search_path of its own; function names must resolve to PostgreSQL's functions.
    await client.query('set search_path = pg_catalog, pg_temp');
    const { rows } = await client.query<{ name: string; wrong: string[] }>(rightsQuery, [
      loginsWithSchemas.find((login) => login.role === role)?.schema,
      loginsWithSchemas.map(({ schema }) => schema),
      role,
      loginRoles,
    ]);
    return rows[0] ?? { name: '', wrong: ['is not in pg_roles'] };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return { name: '', wrong: [`cannot sign in: ${error instanceof Error ? error.message : 'unknown'}`] };
  } finally {
    await client.end().catch(() => {});
  }
}

/** The problems of one login, as messages for the operator. Waits until the database is reachable. */
export async function checkLogin(url: string, role: LoginRole, logger: Logger): Promise<string[]> {
  return (await describeLogin(url, role, logger)).problems;
}

export const variableOf = (role: LoginRole) => `${role.toUpperCase()}_DATABASE_URL`;

async function describeLogin(url: string, role: LoginRole, logger: Logger) {
  const variable = variableOf(role);
  const { name, wrong } = await waitUntilAvailable(() => queryRights(url, role), logger);
  return { name, variable, problems: wrong.map((what) => `${variable}: ${name || 'the login'} ${what}`) };
}

/**
 * The problems of all logins that the process has: each must have access to its own schema and to nothing else. Waits until the database is
 * reachable, because the server must not start unchecked.
 */
export async function checkLogins(roleUrls: Logins['roleUrls'], logger: Logger): Promise<string[]> {
  const problems: string[] = [];
  const usedBy = new Map<string, string>();
  for (const role of loginRoles) {
    const url = roleUrls[role];
    if (url === undefined) continue;
    const { name, variable, problems: own } = await describeLogin(url, role, logger);
    problems.push(...own);
    const other = usedBy.get(name);
    if (name && other) problems.push(`${variable} and ${other} share the login ${name}`);
    usedBy.set(name, variable);
  }
  return problems;
}

export async function waitUntilAvailable<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      // Why: a misspelt host waits too, and only the code says so.
      logger.warn({ event: 'waiting_for_database', errorCode: errorCodeOf(error) });
      await pause(1000);
    }
  }
}
