-- Breaks the release before: a recovery code is sealed with all of its row. No installation has users; codes of a
-- development database are deleted.
truncate identity.recovery_codes;

alter table identity.recovery_codes
  -- The code before, which works for some more days. Like code_key it is random where there is no code: a copy does not
  -- show whether one was replaced, cancelled or used.
  add column replaced_key bytea not null unique check (octet_length(replaced_key) = 32),
  alter column replaced_key set statistics 0,
  drop constraint recovery_codes_facts_check,
  -- The days on which codes were made and replaced, and who waits for the account until when.
  add constraint recovery_codes_facts_check check (octet_length(facts) = 32);
