-- Breaks the release before: a notice has its points and its sanction in an encrypted part. No installation has users.
--
-- A sanction above what the rule of its own notice gives proved earlier notices of the same author. What is left in plain
-- is the same for every sanction: the rule, the day, and an end that does not depend on it.
alter table moderation.notices
  drop column points,
  drop column sanction,
  drop column starts_at,
  drop column ends_at,
  -- Points, sanction, its start and its end. Bound to the slot, and of one length.
  add column sealed bytea not null check (octet_length(sealed) = 1052);
alter table moderation.notices alter column sealed set statistics 0;
