-- What each master key makes of a fixed word: a process with another key under a known id refuses to start, instead of finding
-- nobody. Of 256 random bits it tells nothing but whether a guess of all of them is right, which every seal here tells too.
-- Written by the first process that has the id, before anything is made with the key.
create table identity.key_checks (
  id smallint primary key,
  value bytea not null check (octet_length(value) = 32)
);
alter table identity.key_checks alter value set statistics 0;
