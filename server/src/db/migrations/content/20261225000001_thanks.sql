-- "This helped": the author of a vent thanks for a comment under it. Whoever wrote it learns of it from `shown_from`, one
-- to seven days later; the day of the press is not stored (docs/heard.md).
create table content.thanks (
  -- No foreign key: its check would lock the vent or the comment, and a lock writes the transaction of the press into their
  -- rows for good. Deleting a comment or a vent deletes its thanks; the night deletes what a race left.
  vent_id bigint not null,
  no integer not null,
  -- A keyed hash of both, for the order of rows.
  thank_key bytea not null check (octet_length(thank_key) = 16),
  shown_from date not null,
  -- As on comments: rows in the order of writing would tell which vents one author thanked under in one visit.
  is_fresh boolean not null default true,
  primary key (vent_id, no)
);
-- Serves: the nightly rewrite.
create index thanks_fresh on content.thanks (thank_key) where is_fresh;
alter table content.thanks alter column thank_key set statistics 0;
grant select, insert, delete on content.thanks to unsaid_content;
