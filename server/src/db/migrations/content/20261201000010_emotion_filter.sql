-- Serves: the newest vents of one emotion. For several emotions the lists are merged.
create index vents_emotion on content.vents (emotion, created_at desc, id desc) where state = 'visible';

-- The fifty best of each emotion, so that trending can be filtered. The previous release writes no emotion: its rows last
-- for seconds.
alter table content.trending add column emotion text;
alter table content.trending alter column emotion set statistics 0;
