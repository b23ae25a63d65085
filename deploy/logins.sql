-- Logins of a deployment: one for each schema, one for the job queue, one that migrates. docs/adr/0003 says why.
-- An administrator of the cluster runs it in the service's database, before the first migration and whenever a
-- password changes. It can run again at any time:
--   psql -X -d unsaid -f deploy/logins.sql
-- Passwords come from the environment: IDENTITY_PASSWORD, CONTENT_PASSWORD, MATCHING_PASSWORD, JOBS_PASSWORD,
-- MIGRATOR_PASSWORD. The logins are app_identity, app_content, …; -v prefix=… puts something else before them.
\set ON_ERROR_STOP on
\set QUIET on
\o /dev/null
\if :{?prefix}
\else
  \set prefix app_
\endif
\getenv identity_password IDENTITY_PASSWORD
\getenv content_password CONTENT_PASSWORD
\getenv matching_password MATCHING_PASSWORD
\getenv jobs_password JOBS_PASSWORD
\getenv migrator_password MIGRATOR_PASSWORD
\set identity :prefix identity
\set content :prefix content
\set matching :prefix matching
\set jobs :prefix jobs
\set migrator :prefix migrator

set client_min_messages = warning;
-- Names must mean PostgreSQL's own: who may create in another schema could put a function there for us to run.
set search_path = pg_catalog, pg_temp;
-- Statements below hold passwords: the server's log must not. Only a superuser may say so.
select set_config(setting, value, false)
  from (values ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic'))
       as quiet (setting, value)
 where current_setting('is_superuser')::bool;

begin;

-- Group roles: they hold the rights and cannot log in. Migrations make them where they are missing, and roles belong
-- to the whole cluster, so another database may have made them already.
do $$
declare
  schema text;
begin
  foreach schema in array array['identity', 'content', 'matching', 'jobs'] loop
    begin
      execute format('create role %I nologin', 'unsaid_' || schema);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$;

select format('create role %I', login)
  from unnest(array[:'identity', :'content', :'matching', :'jobs', :'migrator']) as login
 where not exists (select from pg_roles where rolname = login)
\gexec

alter role :"identity" login password :'identity_password';
alter role :"content" login password :'content_password';
alter role :"matching" login password :'matching_password';
alter role :"jobs" login password :'jobs_password';
alter role :"migrator" login password :'migrator_password';

-- Attributes. Only those that are there: a superuser alone may so much as name some of them.
select format('alter role %I ', rolname)
       || concat_ws(' ', case when rolsuper then 'nosuperuser' end, case when rolcreatedb then 'nocreatedb' end,
                    case when rolcreaterole then 'nocreaterole' end, case when rolreplication then 'noreplication' end,
                    case when rolbypassrls then 'nobypassrls' end)
  from pg_roles
 where (rolname in (:'identity', :'content', :'matching', :'jobs') or rolname ~ '^unsaid_(identity|content|matching|jobs)$')
   and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)
\gexec

-- Membership: each login in the role of its own schema and in no other, so that there is nothing to set role to.
select format('revoke %I from %I', granted.rolname, login.rolname)
  from pg_auth_members membership
  join pg_roles granted on granted.oid = membership.roleid
  join pg_roles login on login.oid = membership.member
 where login.rolname in (:'identity', :'content', :'matching', :'jobs')
   and 'unsaid_' || substr(login.rolname, length(:'prefix') + 1) <> granted.rolname
    or login.rolname ~ '^unsaid_(identity|content|matching|jobs)$'
\gexec
select format('revoke admin option for %I from %I', granted.rolname, login.rolname)
  from pg_auth_members membership
  join pg_roles granted on granted.oid = membership.roleid
  join pg_roles login on login.oid = membership.member
 where login.rolname in (:'identity', :'content', :'matching', :'jobs') and membership.admin_option
\gexec
grant unsaid_identity to :"identity";
grant unsaid_content to :"content";
grant unsaid_matching to :"matching";
grant unsaid_jobs to :"jobs";

-- The migrator owns the schemas: it makes them, and hands their tables to the group roles.
grant unsaid_identity, unsaid_content, unsaid_matching, unsaid_jobs to :"migrator" with admin option;
grant create on database :"DBNAME" to :"migrator";
grant create on schema public to :"migrator";
-- The first migration creates the group roles if need be, and PostgreSQL asks for the right to before it sees that
-- they exist. Afterwards nothing needs it.
select format('alter role %I %s', :'migrator', case when count(*) < 3 then 'createrole' else 'nocreaterole' end)
  from pg_namespace where nspname in ('identity', 'content', 'matching')
\gexec

-- Nobody else connects, and nobody but the migrator makes anything outside the schemas.
revoke all on database :"DBNAME" from public;
revoke create on schema public from public;
revoke all on database :"DBNAME" from :"identity", :"content", :"matching", :"jobs";
select format('revoke create on schema %I from %I', nspname, login)
  from pg_namespace, unnest(array[:'identity', :'content', :'matching', :'jobs']) as login
 where nspname in ('public', 'identity', 'content', 'matching')
\gexec
grant connect on database :"DBNAME" to :"identity", :"content", :"matching", :"jobs", :"migrator";

-- Statistics: locks, sessions and counters show what the other logins do, and when. pg-boss asks for them, an operator
-- and monitoring too. These functions belong to each database and to a superuser, so elsewhere they stay open.
select format('revoke execute on function %s from public', oid::regprocedure),
       format('grant execute on function %s to pg_monitor, unsaid_jobs, %I', oid::regprocedure, :'migrator')
  from pg_proc
 where (proname in ('pg_lock_status', 'pg_blocking_pids') or starts_with(proname, 'pg_stat_get_'))
   and current_setting('is_superuser')::bool
\gexec

commit;
