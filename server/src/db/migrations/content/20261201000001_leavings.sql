-- Breaks the release before: the queue content.removals goes, and its server would write to it.
--
-- One encrypted ticket for everybody who left and whose words are still to go (docs/adr/0008). It is as long for somebody
-- who wrote nothing as for somebody who wrote thousands of vents, and no row stands for an item: when each goes is
-- computed from the ticket. A row has no time and no number, and lies in the order of random keys (leaving.queries.ts).
create table content.leavings (
  -- A key of that person for this use alone, so that a retry finds the ticket that was written before. Nobody can make it
  -- once the account's row is gone.
  ticket_key bytea primary key check (octet_length(ticket_key) = 16),
  ticket bytea not null check (octet_length(ticket) = 108)
);
-- Tickets are written again each night. The versions from before leave the files soon after.
alter table content.leavings set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
-- Samples of the planner would outlive the rows.
alter table content.leavings
  alter column ticket_key set statistics 0,
  alter column ticket set statistics 0;

-- The queue had a row for each item, and so grouped the words of a leaver. No installation with users has one.
drop table content.removals;

-- Serves: removing from the database the vents that their authors deleted.
create index vents_deleted on content.vents (id) where state = 'author_deleted';
