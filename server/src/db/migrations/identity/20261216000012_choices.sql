-- 500 items, 200 names, 50 words and 50 hashtags in any script fit.
alter table identity.choices
  drop constraint choices_sealed_check,
  add constraint choices_sealed_check check (octet_length(sealed) <= 64 * 1024 and octet_length(sealed) % 1024 = 0);
-- As for the other tables of this schema: old versions of rows go soon, and the planner samples no value.
alter table identity.choices set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.choices alter column sealed set statistics 0;
