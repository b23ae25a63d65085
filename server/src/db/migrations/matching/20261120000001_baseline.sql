-- The schema matching and its role. A role sees its own schema and nothing of the others, and owns nothing: what the
-- application can do is what is granted here. Roles belong to the whole cluster, so another database may have made it
-- already, or may be making it now.
do $$
begin
  begin
    create role unsaid_matching nologin;
  exception when duplicate_object or unique_violation then null;
  end;
  -- A superuser takes any role; another owner must be granted it, also where it made the role.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    grant unsaid_matching to current_user;
  end if;
end
$$;

create schema matching;
grant usage on schema matching to unsaid_matching;
alter default privileges in schema matching grant select, insert, update, delete on tables to unsaid_matching;

-- What people feel, for matching, and who was paired with whom: two tables under two different keys, so
-- that a copy of the database joins neither with the other, nor with vents, nor with accounts.

-- A place for each person in matching, blank from signup on. Written anew at every rebuild, in the order of the key:
-- rows in the order of signup would stand beside users.id in a dump.
create table matching.match_profiles (
  match_key bytea primary key check (octet_length(match_key) = 16),
  -- Roughly what they feel, so that those who fit can be found. The only thing in the clear.
  cell smallint not null,
  -- Drawn anew at every rebuild: where a search begins in a cell is chance.
  shuffle integer not null,
  -- The rebuild that wrote it; 0 for those who came since.
  generation integer not null,
  -- Emotions, tags and the day they were last here, readable with the key alone: in the clear, they could
  -- be computed again from the vents, and would name the author.
  sealed bytea not null
);
-- A search reads a thousand people from one place in a few cells. With what it reads in the index they lie side by
-- side there; in the table, which is in the order of its key, they lie on a thousand pages.
-- Serves: candidates of a cell, from any place in it.
create index match_profiles_cell on matching.match_profiles (cell, shuffle) include (match_key, sealed);

-- What the newest rebuild counted.
create table matching.rebuilds (
  is_only boolean primary key default true check (is_only),
  generation integer not null
);
insert into matching.rebuilds (generation) values (0);

create table matching.emotion_authors (
  emotion text primary key,
  authors integer not null
);

create table matching.tag_people (
  -- A keyed hash of the tag.
  tag integer primary key,
  people integer not null
);

create table matching.match_pairs (
  -- A keyed hash of the two: numbers in a row would tell in which order people came to matching.
  id bigint primary key,
  a_key bytea not null check (octet_length(a_key) = 16),
  b_key bytea not null check (octet_length(b_key) = 16),
  a_answer text not null default 'none' check (a_answer in ('none', 'yes', 'no')),
  b_answer text not null default 'none' check (b_answer in ('none', 'yes', 'no')),
  -- The day of the answer, and its place among the answers of that day that one of the two can see.
  a_answered_on date,
  b_answered_on date,
  a_order integer,
  b_order integer,
  -- Without two yeses it ends as this day begins.
  closes_on date not null,
  -- From this day on they may meet again; never, once both said yes.
  forget_on date,
  -- Made when little was known of one of them, by this rebuild's profiles.
  is_thin boolean not null,
  generation integer not null,
  -- Written since the newest rebuild, which writes it once more: rows in the order of writing would tell
  -- the same as numbers in a row.
  is_fresh boolean not null default true,
  -- Score, emotions and reasons, readable with the key alone: reasons quote profiles.
  details bytea not null,
  -- The pair is unordered, and there is one of it.
  check (a_key < b_key),
  constraint match_pairs_two unique (a_key, b_key)
);
-- Serves: mine, where I am the second.
create index match_pairs_b on matching.match_pairs (b_key);
-- Serves: writing fresh ones anew, in an order that says nothing.
create index match_pairs_fresh on matching.match_pairs (id) where is_fresh;
-- Serves: the nightly forgetting.
create index match_pairs_forget on matching.match_pairs (forget_on) where forget_on is not null;
