-- How soon the vents of a week were answered, as it is published: no row for fewer than a hundred vents (docs/heard.md).
create table content.heard_weeks (
  -- Its Monday in India.
  week date primary key,
  median_minutes smallint,
  night_median_minutes smallint,
  within_hour smallint check (within_hour between 0 and 100),
  by_next_day smallint not null check (by_next_day between 0 and 100),
  by_team smallint check (by_team between 0 and 100)
);
grant select, insert on content.heard_weeks to unsaid_content;
