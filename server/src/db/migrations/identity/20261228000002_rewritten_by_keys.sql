-- Breaks the release before: it deletes an account by cascade. No installation has users.
--
-- `identity.lay_out` locks a table for seconds a million rows. Large ones are deleted and inserted again instead, some
-- hundred rows at a time; so that a rewritten account keeps what refers to it, nothing is deleted by cascade.
alter table identity.phone_index
  drop constraint phone_index_user_id_fkey, add foreign key (user_id) references identity.users;
alter table identity.sessions
  drop constraint sessions_user_id_fkey, add foreign key (user_id) references identity.users;
alter table identity.devices
  drop constraint devices_user_id_fkey, add foreign key (user_id) references identity.users;
alter table identity.held_usernames
  drop constraint held_usernames_user_id_fkey, add foreign key (user_id) references identity.users;
alter table identity.recovery_codes
  drop constraint recovery_codes_user_id_fkey, add foreign key (user_id) references identity.users;
alter table identity.choices
  drop constraint choices_user_id_fkey, add foreign key (user_id) references identity.users;
