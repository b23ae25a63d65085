-- Three rooms with a role each. A role sees its own room and nothing of the others, and owns
-- nothing: what the application can do is what is granted here. Roles belong to the whole cluster,
-- so another database may have made them already, or may be making them now.
do $$
declare
  name text;
begin
  foreach name in array array['unsaid_identity', 'unsaid_content', 'unsaid_matching'] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation then null;
    end;
    -- A superuser takes any role; another owner must be granted it, also where it made the role.
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to current_user', name);
    end if;
  end loop;
end
$$;

create schema identity;
create schema content;
create schema matching;

grant usage on schema identity to unsaid_identity;
grant usage on schema content to unsaid_content;
grant usage on schema matching to unsaid_matching;

alter default privileges in schema identity
  grant select, insert, update, delete on tables to unsaid_identity;
alter default privileges in schema content
  grant select, insert, update, delete on tables to unsaid_content;
alter default privileges in schema matching
  grant select, insert, update, delete on tables to unsaid_matching;
