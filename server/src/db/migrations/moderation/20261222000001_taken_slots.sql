-- Breaks the release before: reports are numbered for each person and no slot is used twice. No installation has users;
-- reports of a development database leave the lists of their reporters.
--
-- Slots of reports that were ever taken, under keys of their own (docs/adr/0006). The first free one of forty was taken
-- before: whoever could empty slots saw the next report of the same person in the same slot. Rows are only added.
update moderation.reports set slot_key = null;
create table moderation.taken_slots (
  taken_key bytea primary key check (octet_length(taken_key) = 16)
);
grant select, insert on moderation.taken_slots to unsaid_moderation, unsaid_console;
alter table moderation.taken_slots alter column taken_key set statistics 0;
