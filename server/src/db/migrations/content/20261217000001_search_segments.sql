-- Search by segments (docs/performance.md). A segment is 65,536 vents by id. Its lexemes begin with its number, so that
-- a word is looked up in one segment at a time, from the newest on. Three kinds of lexemes: words, hashtags once more
-- with their sign, and the emotion with '=', which nobody can type.
create function content.in_segment(vent_id bigint, words tsvector) returns tsvector
  language sql immutable parallel safe strict as $$
  select array_to_tsvector(array(
    select lpad(to_hex(vent_id >> 16), 4, '0') || lexeme from unnest(tsvector_to_array(words)) as said (lexeme)
    union all
    select lpad(to_hex(vent_id >> 16), 4, '0') || '#' || lexeme
      from unnest(tsvector_to_array(ts_filter(words, '{a}'))) as tag (lexeme))) $$;

drop index content.vent_search_words;
drop index content.vent_search_newest;
update content.vent_search as search set words = words || array_to_tsvector(array['=' || vent.emotion])
  from content.vents as vent where vent.id = search.vent_id;

-- Search needs no statistics any more, so what people typed is not sampled. Changing the type, even to the same one,
-- also removes what was sampled before.
alter table content.vent_search alter column words type tsvector using words;
alter table content.vent_search alter column words set statistics 0;
drop function content.sample_search_words();

-- Without a pending list: every lookup would read all of it, and a rare word is looked up in every segment.
create index vent_search_segments on content.vent_search using gin (content.in_segment(vent_id, words))
  with (fastupdate = off);
alter index content.vent_search_segments alter column 1 set statistics 0;

-- Ids are in the order of writing. The previous release still writes the time.
alter table content.vent_search alter column created_at drop not null;
