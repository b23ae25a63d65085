-- Vents that go out at a random minute within the hour. One encrypted value, padded: until then nobody but its author reads
-- it. Its slot has a key of its own, so that no row of vents has the same value later.
create table content.held_vents (
  slot_key bytea primary key check (octet_length(slot_key) = 16),
  goes_out_at timestamptz not null,
  sealed bytea not null
);
-- Serves: the job of every minute.
create index held_vents_due on content.held_vents (goes_out_at);
alter table content.held_vents alter column slot_key set statistics 0;
alter table content.held_vents alter column sealed set statistics 0;
grant select, insert, delete on content.held_vents to unsaid_content;
