-- Feelings that people name in their profile. Matching reads these and no vent (docs/adr/0005).
alter table identity.users
  -- A bit for each of the six emotions in the order of the contract, three at most: 42 values.
  add column feelings smallint not null default 0 check (
    feelings between 0 and 63 and length(replace(feelings::integer::bit(6)::text, '0', '')) <= 3
  ),
  -- The half month they were named in (its 1st or 16th day): the exact day could be compared with the days of vents.
  add column feelings_from date check (extract(day from feelings_from) in (1, 16)),
  -- Drawn once: a search for candidates starts at a random place, so that everybody is found equally often.
  add column place integer not null default floor(random() * 4294967296 - 2147483648)::integer;

-- Serves: candidates with these feelings, from any place on. Without last_seen_on, so that the nightly write of visits
-- changes no index.
create index users_candidates on identity.users (feelings, place);

-- A sample of it would outlive the row.
alter table identity.users alter column place set statistics 0;
