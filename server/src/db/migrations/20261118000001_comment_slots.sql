-- Somebody's own comments as Anonymous, found without a list of them (docs/adr/0006).

-- Where such a comment stands among its writer's: a keyed hash, another one for every comment, that goes with it.
-- Null for all others, and for those written by a release that knew no slots.
alter table content.comments
  add column slot_key bytea check (octet_length(slot_key) = 16),
  add constraint comments_slot_masked check (slot_key is null or (writer_key is not null and not is_author));
-- Serves: export and erasure of what was said as Anonymous.
create unique index comments_slot on content.comments (slot_key) where slot_key is not null;
-- Serves: the same for what has no slot. Nothing is added to it any more.
create index comments_without_slot on content.comments (id)
  where writer_key is not null and slot_key is null and not is_author;
-- Serves: the same for what authors said under their own vents.
create index comments_author on content.comments (writer_key) where is_author;

-- Slots that were ever taken, under another keyed hash. Rows stay when the comment goes and when its writer leaves: a
-- row that went with either would tell one from the other. A row has no time and no number, and is never changed.
create table content.taken_slots (
  taken_key bytea primary key check (octet_length(taken_key) = 16)
);
