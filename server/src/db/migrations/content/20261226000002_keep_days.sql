-- How many days a vent stays, as every reader sees it. Null: until its author deletes it. Its end is that long after the
-- minute of creation, so no other time is stored.
alter table content.vents
  add column keep_days smallint check (keep_days in (1, 7));
alter table content.vents alter column keep_days set statistics 0;
-- Serves: the job that finds those whose time is over.
create index vents_kept on content.vents (keep_days, created_at)
  where keep_days is not null and state <> 'author_deleted';
