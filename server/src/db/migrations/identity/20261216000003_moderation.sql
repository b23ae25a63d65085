-- What a person does not want to see: items, names, words. Encrypted, in steps of 1 kB, so that its length tells little.
create table identity.choices (
  user_id bigint primary key references identity.users on delete cascade,
  sealed bytea not null check (octet_length(sealed) <= 33 * 1024)
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

-- The planner samples values, and its samples outlive the rows.
alter table identity.choices alter column sealed set statistics 0;
alter table identity.held_numbers alter column idx set statistics 0;
