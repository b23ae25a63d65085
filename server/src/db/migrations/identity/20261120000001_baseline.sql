-- The schema identity and its role. A role sees its own schema and nothing of the others, and owns nothing: what the
-- application can do is what is granted here. Roles belong to the whole cluster, so another database may have made it
-- already, or may be making it now.
do $$
begin
  begin
    create role unsaid_identity nologin;
  exception when duplicate_object or unique_violation then null;
  end;
  -- A superuser takes any role; another owner must be granted it, also where it made the role.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    grant unsaid_identity to current_user;
  end if;
end
$$;

create schema identity;
grant usage on schema identity to unsaid_identity;
alter default privileges in schema identity grant select, insert, update, delete on tables to unsaid_identity;

-- The identity side. Moments are days here: an hour would tie a sign-in to a vent.

create table identity.users (
  id bigint generated always as identity primary key,
  username text check (username ~ '^[A-Za-z0-9_]{1,20}$'),
  bio text not null default '',
  interests text[] not null default '{}',
  likes text[] not null default '{}',
  dislikes text[] not null default '{}',
  match_preference text check (
    match_preference in ('Similar Emotions', 'Different Emotions', 'Balanced')
  ),
  anonymous_chat boolean not null default true,
  -- Whether new vents take comments; each vent has a switch of its own (content.vent_stats).
  allow_comments boolean not null default true,
  profile_completed boolean not null default false,
  -- Random, drawn for the picture alone: never an id, a name or a number.
  avatar_seed text not null,
  -- With a key that is not in the database: the person's keys on the content side. Goes with the row.
  author_seed bytea not null check (octet_length(author_seed) = 32),
  -- What the encrypted speaker of a vent or comment holds. Goes with the row, so that a speaker then leads nowhere.
  speaker_id bytea not null unique check (octet_length(speaker_id) = 8),
  created_on date not null,
  last_seen_on date not null,
  -- The day the number went to somebody else, or to another account of the same person.
  detached_on date
);
-- Serves: is this name free, whatever its case.
create unique index users_username on identity.users (lower(username));
-- Serves: the nightly look for those whose time is over.
create index users_detached on identity.users (detached_on) where detached_on is not null;

-- Who signs in with a number, without the number: a keyed, slow hash of it.
create table identity.phone_index (
  key_id smallint not null,
  idx bytea not null check (octet_length(idx) = 32),
  user_id bigint not null references identity.users on delete cascade,
  -- The keys a row was wrapped with after it was made, in that order: what protects a table whose first key has
  -- become known, without asking anybody for their number.
  wrapped_by smallint[] not null default '{}',
  primary key (key_id, idx)
);
-- Serves: cascade, and "does this number belong to that account". One number to an account.
create unique index phone_index_user on identity.phone_index (user_id);

-- Every key a row was ever made or wrapped with. A process that does not hold one of them cannot find everybody,
-- and must not make accounts: it would give somebody who has one a second.
create table identity.phone_keys (id smallint primary key);

create table identity.sessions (
  token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
  id bigint generated always as identity unique,
  user_id bigint not null references identity.users on delete cascade,
  -- A coarse name for the device list, such as "Chrome on Android". No address is kept.
  label text not null,
  created_on date not null,
  last_seen_on date not null,
  -- The session ends as this day begins.
  ends_on date not null
);
-- Serves: the device list, eviction of the oldest, sign out everywhere.
create index sessions_user on identity.sessions (user_id, id);
-- Serves: the nightly purge.
create index sessions_ends on identity.sessions (ends_on);

-- Devices that have signed in before, hashed together with the account, so that two accounts
-- used on one shared phone do not show the same value.
create table identity.devices (
  device_key bytea primary key check (octet_length(device_key) = 32),
  user_id bigint not null references identity.users on delete cascade,
  seen_on date not null
);
-- Serves: cascade and export.
create index devices_user on identity.devices (user_id);

-- A name given up stays free of others for a while, so that nobody steps into it at once.
create table identity.held_usernames (
  name_key text primary key,
  user_id bigint references identity.users on delete set null,
  held_until date not null
);
-- Serves: the foreign key, and export.
create index held_usernames_user on identity.held_usernames (user_id);

-- Shown once, to be kept on paper. Of the code itself there is nothing here.
create table identity.recovery_codes (
  user_id bigint primary key references identity.users on delete cascade,
  code_sha256 bytea not null unique check (octet_length(code_sha256) = 32),
  -- Settings show on which day a code was made, so that its owner notices one that somebody else made at an open session.
  made_on date not null
);

-- What is written at the moment of a sign-in or a change is written again in the night, in the order of ids
-- (auth/visits.queries.ts). The versions from before stay in the files until a vacuum has passed. These tables get one
-- within minutes of every night, and not when a fifth of their rows has changed.
alter table identity.users set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.sessions set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.devices set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.phone_index set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.recovery_codes set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.held_usernames set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);

-- The planner samples values, and its samples outlive the rows. Not sampled: what people typed; seeds, since the keys of
-- somebody who left could be made from one; and hashes, which would tell that somebody was here.
alter table identity.users
  alter column author_seed set statistics 0,
  alter column speaker_id set statistics 0,
  alter column avatar_seed set statistics 0,
  alter column username set statistics 0,
  alter column bio set statistics 0,
  alter column interests set statistics 0,
  alter column likes set statistics 0,
  alter column dislikes set statistics 0;
alter index identity.users_username alter column 1 set statistics 0;
alter table identity.held_usernames alter column name_key set statistics 0;
alter table identity.phone_index alter column idx set statistics 0;
alter table identity.sessions alter column token_sha256 set statistics 0, alter column label set statistics 0;
alter table identity.devices alter column device_key set statistics 0;
alter table identity.recovery_codes alter column code_sha256 set statistics 0;
