-- Breaks the release before: its public figure reads these columns. No installation has users.
--
-- Of a week only the share that was answered by the next day is shown, as the tables have it (docs/heard.md).
alter table content.heard_weeks
  drop column median_minutes,
  drop column night_median_minutes,
  drop column within_hour,
  drop column by_team;
