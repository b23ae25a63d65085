-- Name and picture of people who left, for as long as comments under that name are still to go one by one
-- (docs/adr/0008): a name that vanished from all of them at once would say who has left, and when. Only for who spoke
-- under a name. No time, no number; written again each night in the order of speaker ids, which are random.
create table identity.departed (
  speaker_id bytea primary key check (octet_length(speaker_id) = 8),
  username text not null check (username ~ '^[A-Za-z0-9_]{1,20}$'),
  avatar_seed text not null,
  -- The last day on which the name is shown.
  until date not null
);
-- Serves: the nightly deletion.
create index departed_until on identity.departed (until);

-- As for the other tables of this schema: old versions of rows go soon, and the planner samples no value.
alter table identity.departed set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.departed
  alter column speaker_id set statistics 0,
  alter column username set statistics 0,
  alter column avatar_seed set statistics 0;
