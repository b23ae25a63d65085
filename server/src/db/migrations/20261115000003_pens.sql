-- What content knows of an author: a sealed key, never an account. Made on the first write,
-- not at signup, so that the order of pens says nothing about the order of accounts.
create table content.pens (
  author_key bytea primary key check (octet_length(author_key) = 16),
  allow_comments boolean not null default true,
  suspended_until timestamptz
);
