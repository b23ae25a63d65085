-- How many others answered a vent, and in which language it is: for offering the unheard ones to listeners. Nothing is
-- stored about being offered one (docs/heard.md).
alter table content.vents
  -- As kernel/language.ts finds it in the words. Null on vents of earlier releases.
  add column language text check (language in ('en', 'hi', 'hinglish', 'other'));
-- No statement looks for it, so the planner needs no samples.
alter table content.vents alter column language set statistics 0;
alter table content.vent_stats
  -- Visible comments of others, counted up to two: it says what the voices of its comments say, for the index.
  add column answers smallint not null default 0 check (answers between 0 and 2);
update content.vent_stats as stats set answers = counted.answers
  from (select vent_id, least(2, count(*)) as answers from content.comments
         where state = 'visible' and voice <> 'author' group by vent_id) as counted
 where counted.vent_id = stats.vent_id;
-- Serves: the list of vents that wait, from the index alone. Reactions stay in place: they change none of its columns.
create index vent_stats_waiting on content.vent_stats (answers, vent_id) where answers < 2 and allow_comments;
