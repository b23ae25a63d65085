-- Logins of a deployment: one per schema, one for the job queue, one for migrations. docs/adr/0003 says why.
-- A cluster administrator runs it in the service's database, before the first migration and whenever a password
-- changes. It is safe to repeat:
--   psql -X -d unsaid -f deploy/logins.sql
-- Passwords come from the environment: IDENTITY_PASSWORD, CONTENT_PASSWORD, MATCHING_PASSWORD, MODERATION_PASSWORD,
-- CONSOLE_PASSWORD, JOBS_PASSWORD, MIGRATOR_PASSWORD, and BACKUP_PASSWORD if deploy/backup.sh runs. The logins are app_identity, app_content, …; -v prefix=… replaces the prefix app_.
-- With a PostgreSQL server for each schema, run it on each with its own roles: -v roles=identity, content, matching,
-- 'moderation console' or jobs.
\set ON_ERROR_STOP on
\set QUIET on
\o /dev/null
\if :{?prefix}
\else
  \set prefix app_
\endif
-- The roles of server/src/db/schemas.ts, and the one of the job queue. Another role needs a password, and its name here and
-- below.
\if :{?roles}
\else
\set roles 'identity content matching moderation console jobs'
\endif
\set identity_password ''
\getenv identity_password IDENTITY_PASSWORD
\set content_password ''
\getenv content_password CONTENT_PASSWORD
\set matching_password ''
\getenv matching_password MATCHING_PASSWORD
\set moderation_password ''
\getenv moderation_password MODERATION_PASSWORD
\set console_password ''
\getenv console_password CONSOLE_PASSWORD
\set jobs_password ''
\getenv jobs_password JOBS_PASSWORD
\getenv migrator_password MIGRATOR_PASSWORD
\getenv backup_password BACKUP_PASSWORD
\set migrator :prefix migrator
\set backup :prefix backup

set client_min_messages = warning;
-- The receiver of deploy/backup.sh, for which a synchronous commit would wait, connects with one of these logins.
set synchronous_commit = local;
-- Only PostgreSQL's own names may resolve: a login that can create in another schema could plant a function there.
set search_path = pg_catalog, pg_temp;
-- The statements below contain passwords, which must not reach the server's log. Only a superuser may turn it off.
select set_config(setting, value, false)
  from (values ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic'))
       as quiet (setting, value)
 where current_setting('is_superuser')::bool;

begin;

-- Group roles: they have the rights and cannot log in. Migrations create missing ones. Roles are cluster-wide, so another
-- database may have created them already.
create temp view login_roles as
  select role, 'unsaid_' || role as granted, :'prefix' || role as login
    from unnest(string_to_array(:'roles', ' ')) as role;
select format('create role %I nologin', granted) from login_roles
 where not exists (select from pg_roles where rolname = granted)
\gexec
select format('create role %I', login)
  from (select login from login_roles union all select :'migrator') as wanted
 where not exists (select from pg_roles where rolname = login)
\gexec

select case when password = '' then format('select %L::int', upper(role) || '_PASSWORD is not set')
            else format('alter role %I login password %L', login, password) end
  from login_roles
  join (values ('identity', :'identity_password'), ('content', :'content_password'), ('matching', :'matching_password'),
               ('moderation', :'moderation_password'), ('console', :'console_password'), ('jobs', :'jobs_password'))
       as given (role, password) using (role)
\gexec
alter role :"migrator" login password :'migrator_password';

-- Attributes. Removes only those that are set: only a superuser may name some of them at all.
select format('alter role %I ', rolname)
       || concat_ws(' ', case when rolsuper then 'nosuperuser' end, case when rolcreatedb then 'nocreatedb' end,
                    case when rolcreaterole then 'nocreaterole' end, case when rolreplication then 'noreplication' end,
                    case when rolbypassrls then 'nobypassrls' end)
  from pg_roles
 where exists (select from login_roles where rolname in (login, granted))
   and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)
\gexec

-- Membership: each login has its own group role and no other, so `set role` leads nowhere.
select format('revoke %s from %s', roleid::regrole, member::regrole)
  from pg_auth_members
 where exists (select from login_roles where member = quote_ident(login)::regrole and roleid <> granted::regrole)
    or exists (select from login_roles where member = granted::regrole)
\gexec
select format('revoke admin option for %s from %s', roleid::regrole, member::regrole)
  from pg_auth_members
 where admin_option and exists (select from login_roles where member = quote_ident(login)::regrole)
\gexec
select format('grant %I to %I', granted, login) from login_roles
\gexec

-- Settings of each connection (server/src/platform/db.ts, server/src/db/schemas.ts). They belong to the login, because a
-- pooler drops those that a connection asks for. The server refuses to start without them.
select format('alter role %I set %s = %L', login, setting, value)
  from login_roles
  join (values (null, 'jit', 'off'), (null, 'client_min_messages', 'warning'), (null, 'statement_timeout', '2000'),
               (null, 'idle_in_transaction_session_timeout', '10000'), (null, 'timezone', 'UTC'),
               ('content', 'plan_cache_mode', 'force_generic_plan'),
               ('matching', 'max_parallel_workers_per_gather', '0')) as given (of_role, setting, value)
    on role <> 'jobs' and (of_role is null or of_role = role)
\gexec

-- The migrator owns the schemas: it creates them and grants their tables to the group roles.
select format('grant %I to %I with admin option', granted, :'migrator') from login_roles
\gexec
grant create on database :"DBNAME" to :"migrator";
grant create on schema public to :"migrator";
-- The group roles exist already, so the migrator creates none.
select format('alter role %I nocreaterole', rolname) from pg_roles where rolname = :'migrator' and rolcreaterole
\gexec

-- No other login connects, and only the migrator creates objects outside the schemas.
revoke all on database :"DBNAME" from public;
revoke create on schema public from public;
select format('revoke all on database %I from %I', :'DBNAME', login), format('grant connect on database %I to %I', :'DBNAME', login)
  from login_roles
\gexec
select format('revoke create on schema %I from %I', nspname, login)
  from pg_namespace, login_roles where nspname <> 'jobs' and nspname !~ '^pg_'
\gexec
grant connect on database :"DBNAME" to :"migrator";

-- Statistics: locks, sessions and counters show what the other logins do, and when. pg-boss, operators and monitoring need
-- them. The functions exist per database and belong to a superuser, so in other databases they stay open.
select format('revoke execute on function %s from public', oid::regprocedure),
       format('grant execute on function %s to pg_monitor, %I%s', oid::regprocedure, :'migrator',
              (select ', ' || granted from login_roles where role = 'jobs'))
  from pg_proc
 where (proname in ('pg_lock_status', 'pg_blocking_pids') or starts_with(proname, 'pg_stat_get_'))
   and current_setting('is_superuser')::bool
\gexec

-- The login of deploy/backup.sh: replication, which copies every file, and nothing else. It reads no table and belongs to
-- no role. Only a superuser may create it.
\if :{?backup_password}
select format('create role %I', :'backup') where not exists (select from pg_roles where rolname = :'backup')
\gexec
alter role :"backup" login replication nosuperuser nocreatedb nocreaterole nobypassrls connection limit 5 password :'backup_password';
select format('revoke %s from %I', roleid::regrole, :'backup') from pg_auth_members where member = quote_ident(:'backup')::regrole
\gexec
revoke all on database :"DBNAME" from :"backup";
\endif

commit;
