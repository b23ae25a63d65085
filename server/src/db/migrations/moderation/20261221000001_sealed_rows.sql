-- Breaks the release before: sessions, passkeys and links of moderators are found by keyed hashes and carry a seal. No
-- installation with moderators exists; those of a development database are added again.
--
-- Seals are HMACs over the values that lead from a proof to a moderator (docs/adr/0002): a row that was not written by
-- the service opens nothing.
delete from moderation.sessions;
delete from moderation.passkeys;

-- Over id, alias, role, disabled_on, enrol_key and enrol_until. Null until the first link is made.
alter table moderation.moderators rename column enrol_sha256 to enrol_key;
alter table moderation.moderators add column seal bytea check (octet_length(seal) = 32);
-- Over credential_id, moderator_id and public_key.
alter table moderation.passkeys add column seal bytea not null check (octet_length(seal) = 32);
-- Over token_key, moderator_id, the moderator's role, proven_at and ends_at.
alter table moderation.sessions rename column token_sha256 to token_key;
alter table moderation.sessions add column seal bytea not null check (octet_length(seal) = 32);

alter table moderation.moderators alter column seal set statistics 0;
alter table moderation.passkeys alter column seal set statistics 0;
alter table moderation.sessions alter column seal set statistics 0;
