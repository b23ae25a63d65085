-- Words are also found by how they sound (docs/performance.md, "Search by sound"). The api computes the lexemes, and a
-- job adds them to older rows and to those that the previous release writes during a rollout.
alter table content.vent_search add column has_sounds boolean not null default false;
-- Serves: the rows that the job has left, newest first.
create index vent_search_without_sounds on content.vent_search (vent_id) where not has_sounds;

-- What the typed words ask for, one row each: as they are typed, and also by sound. A word without a letter asks nothing.
create function content.search_terms(words text[], sounds text[])
  returns table (exact tsquery, query tsquery, is_hashtag boolean)
  language sql immutable parallel safe as $$
  select typed, case when sound is null then typed else typed || sound::tsquery end, right(word, 1) = 'A'
    from unnest(words, sounds) as given (word, sound)
   cross join to_tsquery('simple', content.folded(word)) as typed
   where numnode(typed) > 0 $$;
