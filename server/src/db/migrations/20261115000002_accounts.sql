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
  profile_completed boolean not null default false,
  -- Random, drawn for the picture alone: never an id, a name or a number.
  avatar_seed text not null,
  -- Opens, with a key that is not in the database, to the author key on the content side.
  author_seed bytea not null check (octet_length(author_seed) = 16),
  created_on date not null,
  last_seen_on date not null
);
-- Serves: is this name free, whatever its case.
create unique index users_username on identity.users (lower(username));

-- Who signs in with a number, without the number: a keyed, slow hash of it.
create table identity.phone_index (
  key_id smallint not null,
  idx bytea not null check (octet_length(idx) = 32),
  user_id bigint not null references identity.users on delete cascade,
  primary key (key_id, idx)
);
-- Serves: cascade, and "does this number belong to that account". One number to an account.
create unique index phone_index_user on identity.phone_index (user_id);

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
