-- Breaks the release before: all earlier migrations became this one. No installation with users has them.
--
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
  detached_on date,
  -- Feelings that people name in their profile; matching reads these and no vent (docs/adr/0005). A bit for each of the
  -- six emotions in the order of the contract, three at most: 42 values.
  feelings smallint not null default 0 check (
    feelings between 0 and 63 and length(replace(feelings::integer::bit(6)::text, '0', '')) <= 3
  ),
  -- The half month they were named in (its 1st or 16th day): the exact day could be compared with the days of vents.
  feelings_from date check (extract(day from feelings_from) in (1, 16)),
  -- Drawn once: a search for candidates starts at a random place, so that everybody is found equally often.
  place integer not null default floor(random() * 4294967296 - 2147483648)::integer
);
-- Serves: is this name free, whatever its case.
create unique index users_username on identity.users (lower(username));
-- Serves: the nightly look for those whose time is over.
create index users_detached on identity.users (detached_on) where detached_on is not null;
-- Serves: candidates with these feelings, from any place on. Without last_seen_on, so that the nightly write of visits
-- changes no index.
create index users_candidates on identity.users (feelings, place);

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

-- Name and picture of people who left, for as long as comments under that name are still to go one by one
-- (docs/adr/0008): a name that vanished from all of them at once would say who has left, and when. Only for who spoke
-- under a name. No time, no number; written again each night in the order of speaker ids, which are random.
create table identity.departed (
  speaker_id bytea primary key check (octet_length(speaker_id) = 8),
  username text not null check (username ~ '^[A-Za-z0-9_]{1,20}$'),
  avatar_seed text not null,
  -- The last day on which the name is shown.
  until date not null
);
-- Serves: the nightly deletion.
create index departed_until on identity.departed (until);

-- What a person does not want to see: items, names, words. Encrypted, in steps of 1 kB, so that its length tells little.
-- 500 items, 200 names, 50 words and 50 hashtags in any script fit.
create table identity.choices (
  user_id bigint primary key references identity.users on delete cascade,
  sealed bytea not null check (octet_length(sealed) <= 64 * 1024 and octet_length(sealed) % 1024 = 0)
);

-- Numbers of accounts that were sanctioned when their owner deleted them. No user, no reason, and no time but a day.
create table identity.held_numbers (
  key_id smallint not null,
  idx bytea not null check (octet_length(idx) = 32),
  wrapped_by smallint[] not null default '{}',
  held_until date not null,
  primary key (key_id, idx)
);
-- Serves: the nightly deletion.
create index held_numbers_until on identity.held_numbers (held_until);

-- Versions of the privacy notice that a person agreed to, by day.
create table identity.agreements (
  user_id bigint not null references identity.users on delete cascade,
  version smallint not null check (version > 0),
  agreed_on date not null,
  primary key (user_id, version)
);

-- What is written at the moment of a sign-in or a change is written again in the night, in the order of ids
-- (docs/adr/0009). The versions from before stay in the files until a vacuum has passed. These tables get one
-- within minutes of every night, and not when a fifth of their rows has changed.
alter table identity.users set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.sessions set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.devices set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.phone_index set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.recovery_codes set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.departed set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.choices set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
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
  alter column dislikes set statistics 0,
  alter column place set statistics 0;
alter index identity.users_username alter column 1 set statistics 0;
alter table identity.held_usernames alter column name_key set statistics 0;
alter table identity.phone_index alter column idx set statistics 0;
alter table identity.sessions alter column token_sha256 set statistics 0, alter column label set statistics 0;
alter table identity.devices alter column device_key set statistics 0;
alter table identity.recovery_codes alter column code_sha256 set statistics 0;
alter table identity.departed
  alter column speaker_id set statistics 0,
  alter column username set statistics 0,
  alter column avatar_seed set statistics 0;
alter table identity.choices alter column sealed set statistics 0;
alter table identity.held_numbers alter column idx set statistics 0;
