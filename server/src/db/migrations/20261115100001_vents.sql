-- Content, sealed from identity: no column here can be matched with one there, but for the user id
-- of a comment made under one's public name.

-- unaccent looks its dictionary up at run time and so is not immutable; with the dictionary named it is.
create extension if not exists unaccent with schema public;
create function content.folded(text) returns text
  language sql immutable parallel safe strict
  as $$ select lower(public.unaccent('public.unaccent', $1)) $$;

-- Written once, but for its state. Counters live elsewhere: on this row each would cost 6 kB of log.
create table content.vents (
  id bigint generated always as identity primary key,
  author_key bytea not null check (octet_length(author_key) = 16),
  emotion text not null check (emotion in ('Happy', 'Sad', 'Angry', 'Anxious', 'Neutral', 'Burnout')),
  title text not null,
  body text not null,
  hashtags text[] not null default '{}',
  created_at timestamptz not null,
  state text not null default 'visible' check (state in ('visible', 'hidden', 'removed', 'author_deleted'))
);
-- Serves: the feed, newest first.
create index vents_feed on content.vents (created_at desc, id desc) where state = 'visible';
-- Serves: my vents, and the check for the same text said again and again.
create index vents_author on content.vents (author_key, created_at desc, id desc);

create table content.vent_stats (
  vent_id bigint primary key references content.vents on delete cascade,
  heart integer not null default 0 check (heart >= 0),
  hug integer not null default 0 check (hug >= 0),
  listen integer not null default 0 check (listen >= 0),
  comments integer not null default 0 check (comments >= 0),
  -- What of it the author did, weighed as for trending: praise of oneself lifts nobody.
  own_weight integer not null default 0
) with (fillfactor = 70);

create table content.reactions (
  vent_id bigint not null references content.vents on delete cascade,
  -- Differs on every vent: nobody's reactions can be listed or compared.
  reactor_key bytea not null check (octet_length(reactor_key) = 16),
  kind text not null check (kind in ('heart', 'hug', 'listen')),
  primary key (vent_id, reactor_key, kind)
);

create table content.comments (
  id bigint generated always as identity primary key,
  vent_id bigint not null references content.vents on delete cascade,
  -- Under one's public name.
  user_id bigint,
  -- Spoken as Anonymous, or by the vent's own author: a sealed key instead.
  writer_key bytea check (octet_length(writer_key) = 16),
  is_author boolean not null,
  body text not null,
  created_at timestamptz not null,
  check ((user_id is null) <> (writer_key is null)),
  check (not is_author or user_id is null)
);
-- Serves: the newest of a vent, older ones before a given one, and the foreign key.
create index comments_vent on content.comments (vent_id, id desc);
-- Serves: export and erasure of what was said under a name.
create index comments_user on content.comments (user_id) where user_id is not null;

-- Words apart from the vent, with statistics fine enough that the planner knows rare from frequent.
create table content.vent_search (
  vent_id bigint primary key references content.vents on delete cascade,
  created_at timestamptz not null,
  words tsvector not null
);
create index vent_search_words on content.vent_search using gin (words);
create index vent_search_newest on content.vent_search (created_at desc, vent_id desc);
alter table content.vent_search alter column words set statistics 1000;

-- The fifty of the pager, computed every few seconds. An index on a score would be rewritten by every reaction.
create table content.trending (
  position smallint primary key,
  vent_id bigint not null references content.vents on delete cascade,
  computed_at timestamptz not null
);
create index trending_vent on content.trending (vent_id);

create table content.reports (
  id bigint generated always as identity primary key,
  vent_id bigint not null,
  reporter_key bytea not null check (octet_length(reporter_key) = 16),
  reason text not null,
  -- What was reported, as it was then. Kept 90 days, also when the vent is gone.
  snapshot jsonb not null,
  created_at timestamptz not null,
  unique (vent_id, reporter_key)
);
-- Serves: the list for review, and the purge.
create index reports_newest on content.reports (created_at desc);

-- Writes that were sent with a key, so that a retry after an unknown outcome does not happen twice.
create table content.idempotency (
  key bytea primary key check (octet_length(key) = 32),
  result_id bigint not null,
  created_at timestamptz not null
);
create index idempotency_oldest on content.idempotency (created_at);

-- Content of people who left, each item with a moment of its own: one queue for everybody's, so that
-- things which vanish one after the other have nothing to do with each other.
-- What an entry stands for is sealed: rows of one leaver lie side by side, and read in the clear they
-- would join vents to comments made under a name.
create table content.removals (
  item_key bytea primary key check (octet_length(item_key) = 16),
  due_at timestamptz not null
);
create index removals_due on content.removals (due_at);

-- Gifts since the author last looked: sums without times. And the end of a pen whose account is gone:
-- until its vents are, it must go on saying whether they take comments.
alter table content.pens
  add column since_heart integer not null default 0,
  add column since_hug integer not null default 0,
  add column since_listen integer not null default 0,
  add column since_comments integer not null default 0,
  add column erase_after timestamptz;
create index pens_erase on content.pens (erase_after) where erase_after is not null;
