-- The schema content and its role. A role sees its own schema and nothing of the others, and owns nothing: what the
-- application can do is what is granted here. Roles belong to the whole cluster, so another database may have made it
-- already, or may be making it now.
do $$
begin
  begin
    create role unsaid_content nologin;
  exception when duplicate_object or unique_violation then null;
  end;
  -- A superuser takes any role; another owner must be granted it, also where it made the role.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    grant unsaid_content to current_user;
  end if;
end
$$;

create schema content;
grant usage on schema content to unsaid_content;
alter default privileges in schema content grant select, insert, update, delete on tables to unsaid_content;

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
  primary key (vent_id, no)
);
-- Serves: a writer's own.
create unique index comments_slot on content.comments (slot_key);
-- Serves: the nightly rewrite.
create index comments_fresh on content.comments (slot_key) where is_fresh;

-- Slots that were ever taken, of vents and of comments, under keys of their own (docs/adr/0006). Rows stay when the
-- item goes and when its writer leaves: a row that went with either would tell one from the other. A row has no time
-- and no number, and is never changed.
create table content.taken_slots (
  taken_key bytea primary key check (octet_length(taken_key) = 16)
);

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
  -- Random: numbers in a row would tell what one person reported in one visit.
  id uuid primary key default gen_random_uuid(),
  vent_id bigint not null,
  reporter_key bytea not null check (octet_length(reporter_key) = 16),
  reason text not null,
  -- What was reported, as it was then. Kept 90 days, also when the vent is gone.
  snapshot jsonb not null,
  reported_on date not null,
  -- As on comments.
  is_fresh boolean not null default true,
  unique (vent_id, reporter_key)
);
-- Serves: the purge.
create index reports_oldest on content.reports (reported_on);
-- Serves: the nightly rewrite.
create index reports_fresh on content.reports (reporter_key) where is_fresh;

-- Writes that were sent with a key, so that a retry after an unknown outcome does not happen twice.
create table content.idempotency (
  key bytea primary key check (octet_length(key) = 32),
  -- Which row it made, encrypted: in the clear it would put rows in the order of their writing. Null until it is made.
  result bytea check (octet_length(result) = 16),
  sent_on date not null
);
create index idempotency_oldest on content.idempotency (sent_on);

-- Who may not write for a while: a key of that person for this use alone.
create table content.suspensions (
  person_key bytea primary key check (octet_length(person_key) = 16),
  until_day date not null
);

-- Content of people who left, each item with a moment of its own. What an entry stands for is encrypted: rows of one
-- leaver lie side by side.
create table content.removals (
  item_key bytea primary key check (octet_length(item_key) = 16),
  due_at timestamptz not null
);
create index removals_due on content.removals (due_at);

-- The planner samples values, and its samples outlive the rows: what people typed is not sampled.
alter table content.vents
  alter column title set statistics 0,
  alter column body set statistics 0,
  alter column hashtags set statistics 0;
alter table content.comments alter column body set statistics 0;
alter table content.reports alter column reason set statistics 0, alter column snapshot set statistics 0;

-- Search needs to know rare words from frequent ones. Sampled again every night, so that the words of deleted vents
-- leave the sample within a day. By the owner's right: only an owner may analyse.
create function content.sample_search_words() returns void
  language sql security definer set search_path = content, pg_temp
  as $$ analyze content.vent_search $$;
revoke execute on function content.sample_search_words() from public;
grant execute on function content.sample_search_words() to unsaid_content;
