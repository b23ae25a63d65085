-- Held vents are rewritten in the order of their keys, like all rows that people write: their order was that of writing.
alter table content.held_vents add column is_fresh boolean not null default true;
create index held_vents_fresh on content.held_vents (slot_key) where is_fresh;
-- To close one for comments, and to draw its moment again.
grant update on content.held_vents to unsaid_content;
