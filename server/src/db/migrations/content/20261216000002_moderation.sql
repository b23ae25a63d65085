-- Comments get the states that a moderator can set on vents, and can undo.
alter table content.comments add column state text not null default 'visible'
  check (state in ('visible', 'hidden', 'removed'));

-- Voices that the author of a vent has closed it to: one name, or one Anonymous under this vent. A keyed hash of vent,
-- voice and speaker, so it differs on every vent.
create table content.shut_outs (
  vent_id bigint not null references content.vents on delete cascade,
  voice_key bytea not null check (octet_length(voice_key) = 16),
  primary key (vent_id, voice_key)
);
alter table content.shut_outs alter column voice_key set statistics 0;
