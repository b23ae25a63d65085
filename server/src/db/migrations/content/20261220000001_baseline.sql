-- Breaks the release before: all earlier migrations became this one. No installation with users has them.
--
-- What people wrote, and nothing about who they are (docs/adr/0002). Three rules:
-- No two rows can be linked because they have one author: not by a value, not by their position, not by a time.
-- Nobody's action writes a row that belongs to another person, and a visit writes nothing.
-- Keys of people are made from a seed in identity.users and a master key that is in no database.

-- unaccent looks its dictionary up at run time and so is not immutable; with the dictionary named it is.
create extension if not exists unaccent with schema public;
create function content.folded(text) returns text
  language sql immutable parallel safe strict
  as $$ select lower(public.unaccent('public.unaccent', $1)) $$;

-- Written once, but for its state. Counters live elsewhere: on this row each would cost 6 kB of log.
create table content.vents (
  id bigint generated always as identity primary key,
  -- Who speaks, encrypted: differs on every row.
  speaker bytea not null check (octet_length(speaker) = 16),
  -- Where its author finds it among their own: another value on every row.
  slot_key bytea not null check (octet_length(slot_key) = 16),
  emotion text not null check (emotion in ('Happy', 'Sad', 'Angry', 'Anxious', 'Neutral', 'Burnout')),
  title text not null,
  body text not null,
  hashtags text[] not null default '{}',
  -- Cut to the minute, as it is shown. Vents of one minute are in the order of their ids.
  created_at timestamptz not null check (date_trunc('minute', created_at, 'UTC') = created_at),
  state text not null default 'visible' check (state in ('visible', 'hidden', 'removed', 'author_deleted'))
);
-- Serves: the feed, newest first.
create index vents_feed on content.vents (created_at desc, id desc) where state = 'visible';
-- Serves: an author's own, by the keys of their slots.
create unique index vents_slot on content.vents (slot_key);
-- Serves: the newest vents of one emotion. For several emotions the lists are merged.
create index vents_emotion on content.vents (emotion, created_at desc, id desc) where state = 'visible';
-- Serves: removing from the database the vents that their authors deleted.
create index vents_deleted on content.vents (id) where state = 'author_deleted';

create table content.vent_stats (
  vent_id bigint primary key references content.vents on delete cascade,
  heart integer not null default 0 check (heart >= 0),
  hug integer not null default 0 check (hug >= 0),
  listen integer not null default 0 check (listen >= 0),
  comments integer not null default 0 check (comments >= 0),
  -- What of it the author did, weighed as for trending: praise of oneself lifts nobody.
  own_weight integer not null default 0,
  -- The number that the newest comment got.
  last_no integer not null default 0,
  -- Here and not on the vent: these rows are updated in place by every reaction, a vent's row would move.
  allow_comments boolean not null default true,
  -- Opened or closed since the last night.
  is_switched boolean not null default false
) with (fillfactor = 70);
-- Serves: the nightly rewrite of all that are closed, whenever that was: where they lie must not tell which were closed
-- together.
create index vent_stats_switched on content.vent_stats (vent_id) where is_switched or not allow_comments;

create table content.reactions (
  vent_id bigint not null references content.vents on delete cascade,
  -- Differs on every vent and for every kind: nobody's reactions can be listed or compared.
  reactor_key bytea not null check (octet_length(reactor_key) = 16),
  kind text not null check (kind in ('heart', 'hug', 'listen')),
  -- Not yet written again in the order of its key (see comments).
  is_fresh boolean not null default true,
  primary key (vent_id, reactor_key)
);
-- Serves: the nightly rewrite.
create index reactions_fresh on content.reactions (reactor_key) where is_fresh;

create table content.comments (
  vent_id bigint not null references content.vents on delete cascade,
  -- Counted within the vent.
  no integer not null,
  voice text not null check (voice in ('named', 'anonymous', 'author')),
  -- As on a vent, under another key for each voice: moved to another voice, it opens to nobody.
  speaker bytea not null check (octet_length(speaker) = 16),
  slot_key bytea not null check (octet_length(slot_key) = 16),
  body text not null,
  -- The date in India. Names are public: a finer time here would be a name with a time.
  said_on date not null,
  -- Rows lie in the order in which they were written, and that is a time too. So each night the rows of the days
  -- before are written again in the order of their slots.
  is_fresh boolean not null default true,
  -- What a moderator can set, and can undo.
  state text not null default 'visible' check (state in ('visible', 'hidden', 'removed')),
  primary key (vent_id, no)
);
-- Serves: a writer's own.
create unique index comments_slot on content.comments (slot_key);
-- Serves: the nightly rewrite.
create index comments_fresh on content.comments (slot_key) where is_fresh;

-- Voices that the author of a vent has closed it to: one name, or one Anonymous under this vent. A keyed hash of vent,
-- voice and speaker, so it differs on every vent.
create table content.shut_outs (
  vent_id bigint not null references content.vents on delete cascade,
  voice_key bytea not null check (octet_length(voice_key) = 16),
  -- As on comments: rows in the order of writing would tell which vents one author closed in one visit.
  is_fresh boolean not null default true,
  primary key (vent_id, voice_key)
);
-- Serves: the nightly rewrite.
create index shut_outs_fresh on content.shut_outs (voice_key) where is_fresh;

-- Slots that were ever taken, of vents and of comments, under keys of their own (docs/adr/0006). Rows stay when the
-- item goes and when its writer leaves: a row that went with either would tell one from the other. A row has no time
-- and no number, and is never changed.
create table content.taken_slots (
  taken_key bytea primary key check (octet_length(taken_key) = 16)
);

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

-- Words apart from the vent. They are also found by how they sound: the api computes those lexemes.
create table content.vent_search (
  vent_id bigint primary key references content.vents on delete cascade,
  words tsvector not null
);
-- Without a pending list: every lookup would read all of it, and a rare word is looked up in every segment.
create index vent_search_segments on content.vent_search using gin (content.in_segment(vent_id, words))
  with (fastupdate = off);

-- What the typed words ask for, one row each: as they are typed, and also by sound. A word without a letter asks nothing.
create function content.search_terms(words text[], sounds text[])
  returns table (exact tsquery, query tsquery, is_hashtag boolean)
  language sql immutable parallel safe as $$
  select typed, case when sound is null then typed else typed || sound::tsquery end, right(word, 1) = 'A'
    from unnest(words, sounds) as given (word, sound)
   cross join to_tsquery('simple', content.folded(word)) as typed
   where numnode(typed) > 0 $$;

-- The fifty best of each emotion, computed every few seconds. An index on a score would be rewritten by every reaction.
create table content.trending (
  position smallint primary key,
  vent_id bigint not null references content.vents on delete cascade,
  emotion text not null,
  computed_at timestamptz not null
);
create index trending_vent on content.trending (vent_id);

-- Writes that were sent with a key, so that a retry after an unknown outcome does not happen twice.
create table content.idempotency (
  key bytea primary key check (octet_length(key) = 32),
  -- Which row it made, encrypted: in the clear it would put rows in the order of their writing. Null until it is made.
  result bytea check (octet_length(result) = 16),
  sent_on date not null
);
create index idempotency_oldest on content.idempotency (sent_on);

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

-- The planner samples values, and its samples outlive the rows: no key and nothing that people typed is sampled.
alter table content.vents
  alter column title set statistics 0,
  alter column body set statistics 0,
  alter column hashtags set statistics 0;
alter table content.comments alter column body set statistics 0;
alter table content.shut_outs alter column voice_key set statistics 0;
alter table content.vent_search alter column words set statistics 0;
alter index content.vent_search_segments alter column 1 set statistics 0;
alter table content.trending alter column emotion set statistics 0;
alter table content.leavings
  alter column ticket_key set statistics 0,
  alter column ticket set statistics 0;
