-- Keys that change, numbers that change hands, and a way back without the number.

-- The keys a row was wrapped with after it was made, in that order: what protects a table whose first key has
-- become known, without asking anybody for their number.
alter table identity.phone_index add column wrapped_by smallint[] not null default '{}';

-- Every key a row was ever made or wrapped with. A process that does not hold one of them cannot find everybody,
-- and must not make accounts: it would give somebody who has one a second.
create table identity.phone_keys (id smallint primary key);
insert into identity.phone_keys select distinct key_id from identity.phone_index;

-- Shown once, to be kept on paper. Of the code itself there is nothing here.
create table identity.recovery_codes (
  user_id bigint primary key references identity.users on delete cascade,
  code_sha256 bytea not null unique check (octet_length(code_sha256) = 32)
);

-- The day the number went to somebody else, or to another account of the same person.
alter table identity.users add column detached_on date;
-- Serves: the nightly look for those whose time is over.
create index users_detached on identity.users (detached_on) where detached_on is not null;
