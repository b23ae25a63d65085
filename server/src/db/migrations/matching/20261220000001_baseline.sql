-- Breaks the release before: all earlier migrations became this one. No installation with users has them.
--
-- Who was paired with whom, and nothing else. Candidates are found in identity.users by the feelings that people name
-- there (docs/adr/0005).
create table matching.pairs (
  -- Random: a number made from the two would come back with their next pair, and be an id that lasts.
  id bigint primary key,
  -- The two accounts, each one AES block over its id and the week. Under one key for life, all pairs of a person
  -- together would tell who it is.
  a_key bytea not null check (octet_length(a_key) = 16),
  b_key bytea not null check (octet_length(b_key) = 16),
  -- Whose search made it: the limits count for that side.
  is_asked_by_a boolean not null,
  -- The Monday of the week in which it was made, or last renewed: pairs of two yeses are renewed while they last, so that
  -- they look like new ones. The day is in the details: laid beside other days, it would tell whose key this is.
  week date not null check (extract(isodow from week) = 1),
  -- Written today: rewritten each hour, and once more when the day is over. Rows in the order of writing would tell in
  -- which order people came.
  is_fresh boolean not null default true,
  -- Answers with their days, when it closes, score, feelings in common, reasons, names as last seen; encrypted. Answers
  -- in the clear would tell who said no to whom: with one account of their own, a thief finds its key by what it answered,
  -- and by its pairs the keys of others.
  details bytea not null,
  -- The pair is unordered, and there is one of it in a week. Searches see to it that there is one in all weeks.
  check (a_key < b_key),
  constraint pairs_two unique (a_key, b_key)
);
-- Serves: mine, where I am the second.
create index pairs_b on matching.pairs (b_key);
-- Serves: rewriting the day's rows in the order of their random numbers.
create index pairs_fresh on matching.pairs (id) where is_fresh;
-- Serves: the nightly renewing and forgetting.
create index pairs_week on matching.pairs (week, id);

-- The planner's samples outlive the rows.
alter table matching.pairs
  alter column id set statistics 0,
  alter column a_key set statistics 0,
  alter column b_key set statistics 0,
  alter column details set statistics 0;
