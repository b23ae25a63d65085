-- What is written at the moment of a sign-in or a change is written again in the night, in the order of ids
-- (auth/visits.queries.ts). The versions from before stay in the files until a vacuum has passed. These tables get one
-- within minutes of every night, and not when a fifth of their rows has changed.
alter table identity.users set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.sessions set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.devices set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.phone_index set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.recovery_codes set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
alter table identity.held_usernames set (autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0.005);
