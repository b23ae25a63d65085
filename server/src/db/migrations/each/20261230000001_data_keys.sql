-- The keys that the rows of this schema are encrypted and found with, each wrapped by the master key (docs/keys.md). A lost
-- row is lost data. No row elsewhere names one.
create table :schema.data_keys (
  purpose text collate "C" not null,
  -- The age of keys of one purpose, from 1: rows are tried with the newest first.
  no smallint not null,
  -- Keys of this table once this one was written: where fewer open, one was lost.
  total smallint not null,
  made_at timestamptz not null default now(),
  wrapped bytea not null,
  primary key (purpose, no)
);

alter table :schema.data_keys alter purpose set statistics 0, alter wrapped set statistics 0;

-- The row 0 is no key. It says how the first keys are made, and where it is missing the table was lost. A schema that has
-- rows from before begins with the keys that were derived from the master key.
do $$
declare
  name text;
  has_rows boolean := false;
begin
  for name in
    select c.oid::regclass from pg_class c
     where c.relnamespace = ':schema'::regnamespace and c.relkind = 'r' and c.relname <> 'data_keys'
  loop
    execute format('select $1 or exists (select from %s)', name) into has_rows using has_rows;
  end loop;
  insert into :schema.data_keys (purpose, no, total, wrapped)
  values (':schema ' || case when has_rows then 'derived' else 'random' end, 0, 1, ':schema');
end
$$;

-- The owner alone wraps them anew, and nobody deletes them.
revoke all on :schema.data_keys from :roles;
grant select, insert on :schema.data_keys to :roles;
