-- Breaks the release before: its nightly job would leave the new columns as they are. No installation has users.
--
-- Taken slots and idempotency records are rewritten as comments are. A row that kept its transaction was the vent of that
-- transaction; what was left were the comments, in the order of writing.
alter table content.taken_slots add column is_fresh boolean not null default true;
-- Serves: the nightly rewrite.
create index taken_slots_fresh on content.taken_slots (taken_key) where is_fresh;
alter table content.idempotency add column is_fresh boolean not null default true;
-- Serves: the nightly rewrite.
create index idempotency_fresh on content.idempotency (key) where is_fresh;
