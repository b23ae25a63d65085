-- A place for each person in matching, blank from signup on. Whoever fills it must write the table
-- anew in the order of its key: rows in the order of signup would stand beside users.id in a dump.
create table matching.match_profiles (
  match_key bytea primary key check (octet_length(match_key) = 16),
  last_active_on date not null
);
