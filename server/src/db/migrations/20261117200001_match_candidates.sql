-- A search reads a thousand people from one place in a few cells. With what it reads in the index they lie side by
-- side there; in the table, which is in the order of its key, they lie on a thousand pages.
drop index matching.match_profiles_cell;
-- Serves: candidates of a cell, from any place in it.
create index match_profiles_cell on matching.match_profiles (cell, shuffle) include (match_key, sealed);
