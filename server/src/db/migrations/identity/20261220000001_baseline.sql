-- Breaks the release before: all earlier migrations became this one. No installation with users has them.
--
-- The identity side. No plain day and no plain switch stands beside an account: laid beside the days of vents and pairs,
-- each tells few people from the rest (docs/adr/0009). They are in `facts`: AES blocks with the id of their row, which no
-- other row opens. `seal` is an HMAC over what leads from a proof to a person (docs/adr/0002): a row that the service did
-- not write opens nothing.

create table identity.users (
  -- Random, of 52 bits: a counted one would tell the order of signing up.
  id bigint primary key,
  username text check (username ~ '^[A-Za-z0-9_]{1,20}$'),
  bio text not null default '',
  interests text[] not null default '{}',
  likes text[] not null default '{}',
  dislikes text[] not null default '{}',
  match_preference text check (
    match_preference in ('Similar Emotions', 'Different Emotions', 'Balanced')
  ),
  profile_completed boolean not null default false,
  -- Random, drawn for the picture alone: never an id, a name or a number.
  avatar_seed text not null,
  -- With a key that is not in the database: the person's keys on the content side. Goes with the row.
  author_seed bytea not null check (octet_length(author_seed) = 32),
  -- What the encrypted speaker of a vent or comment holds. Goes with the row, so that a speaker then leads nowhere.
  speaker_id bytea not null unique check (octet_length(speaker_id) = 8),
  -- Over id, author_seed and speaker_id.
  seal bytea not null check (octet_length(seal) = 32),
  -- Days of joining, of the last visit and of losing the number; switches; the notice that was agreed to; the half month in
  -- which feelings were named.
  facts bytea not null check (octet_length(facts) = 32),
  -- The first of the month from which on the last visit is a month ago: the nightly look for the silent, and the search
  -- for candidates, read the days of these rows alone.
  look_on date not null check (extract(day from look_on) = 1),
  -- The number went to somebody else, or to another account of the same person.
  is_detached boolean not null default false,
  -- Feelings that people name in their profile; matching reads these and no vent (docs/adr/0005). A bit for each of the
  -- six emotions in the order of the contract, three at most: 42 values.
  feelings smallint not null default 0 check (
    feelings between 0 and 63 and length(replace(feelings::integer::bit(6)::text, '0', '')) <= 3
  ),
  -- Drawn once: a search for candidates starts at a random place, so that everybody is found equally often.
  place integer not null default floor(random() * 4294967296 - 2147483648)::integer
);
-- Serves: is this name free, whatever its case.
create unique index users_username on identity.users (lower(username));
-- Serves: the nightly look for those whose time is over.
create index users_detached on identity.users (id) where is_detached;
-- Serves: candidates with these feelings, from any place on. Without look_on, so that the nightly write of visits
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
  -- Over key_id, wrapped_by, idx and user_id.
  seal bytea not null check (octet_length(seal) = 32),
  primary key (key_id, idx)
);
-- Serves: cascade, and "does this number belong to that account". One number to an account.
create unique index phone_index_user on identity.phone_index (user_id);

-- Every key a row was ever made or wrapped with. A process that does not hold one of them cannot find everybody,
-- and must not make accounts: it would give somebody who has one a second.
create table identity.phone_keys (id smallint primary key);

create table identity.sessions (
  token_key bytea primary key check (octet_length(token_key) = 32),
  -- Random.
  id bigint not null unique,
  user_id bigint not null references identity.users on delete cascade,
  -- Over token_key, user_id and id.
  seal bytea not null check (octet_length(seal) = 32),
  -- Days of signing in and of the last visit, and the kind of browser for the list of devices. No address is kept.
  facts bytea not null check (octet_length(facts) = 16)
);
-- Serves: the device list, eviction of the oldest, sign out everywhere.
create index sessions_user on identity.sessions (user_id);

-- Devices that have signed in before, hashed together with the account, so that two accounts
-- used on one shared phone do not show the same value.
create table identity.devices (
  device_key bytea primary key check (octet_length(device_key) = 32),
  user_id bigint not null references identity.users on delete cascade,
  -- The first of the month in which it is forgotten.
  look_on date not null check (extract(day from look_on) = 1)
);
-- Serves: cascade and export.
create index devices_user on identity.devices (user_id);

-- A name given up stays free of others for a while, so that nobody steps into it at once.
create table identity.held_usernames (
  name_key text primary key,
  user_id bigint references identity.users on delete set null,
  -- A half month, as in users.
  held_until date not null check (extract(day from held_until) in (1, 16))
);
-- Serves: the foreign key, and export.
create index held_usernames_user on identity.held_usernames (user_id);

-- Shown once, to be kept on paper. Of the code itself there is nothing here.
create table identity.recovery_codes (
  user_id bigint primary key references identity.users on delete cascade,
  code_key bytea not null unique check (octet_length(code_key) = 32),
  -- Over code_key and user_id.
  seal bytea not null check (octet_length(seal) = 32),
  -- Settings show on which day a code was made, so that its owner notices one that somebody else made at an open session.
  facts bytea not null check (octet_length(facts) = 16)
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

-- Writes a table to a new file in the order of its primary key, which is random in every table here. An update stays on its
-- page, so rows lie in the order of signing up whatever is written later; and the file keeps what was deleted. Gives up when
-- a lock takes longer, and is called again the next night. Of its owner, because only an owner may do this.
create function identity.lay_out(name text) returns void
language plpgsql security definer set search_path = '' set lock_timeout = '2s' as $$
declare
  key name;
begin
  select index.relname into strict key
    from pg_catalog.pg_index as found
    join pg_catalog.pg_class as index on index.oid = found.indexrelid
   where found.indrelid = format('identity.%I', name)::regclass and found.indisprimary;
  execute format('cluster identity.%I using %I', name, key);
end $$;
revoke execute on function identity.lay_out from public;
grant execute on function identity.lay_out to unsaid_identity;

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
  alter column place set statistics 0,
  alter column id set statistics 0,
  alter column seal set statistics 0,
  alter column facts set statistics 0;
alter index identity.users_username alter column 1 set statistics 0;
alter table identity.held_usernames alter column name_key set statistics 0;
alter table identity.phone_index alter column idx set statistics 0, alter column seal set statistics 0;
alter table identity.sessions
  alter column token_key set statistics 0,
  alter column id set statistics 0,
  alter column seal set statistics 0,
  alter column facts set statistics 0;
alter table identity.devices alter column device_key set statistics 0;
alter table identity.recovery_codes
  alter column code_key set statistics 0,
  alter column seal set statistics 0,
  alter column facts set statistics 0;
alter table identity.departed
  alter column speaker_id set statistics 0,
  alter column username set statistics 0,
  alter column avatar_seed set statistics 0;
alter table identity.choices alter column sealed set statistics 0;
alter table identity.held_numbers alter column idx set statistics 0;
