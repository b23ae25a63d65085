-- Rows that a job could not do, and how often it tried. Without a moment: how long one waits is drawn from its tries.
create table :schema.failed_rows (
  job text not null,
  -- A hash of the row's key.
  row_mark bytea not null check (octet_length(row_mark) = 16),
  tries smallint not null check (tries > 0),
  primary key (job, row_mark)
);
alter table :schema.failed_rows alter row_mark set statistics 0;
grant select, insert, update, delete on :schema.failed_rows to :roles;
