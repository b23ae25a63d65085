-- Breaks the release before: its console has the login of the api, which may no longer write moderators. No installation
-- with moderators exists.
--
-- Whoever takes over the api could add a lead moderator with a fresh proof. Only the console and the command may.
revoke insert, update on moderation.moderators from unsaid_moderation;
revoke all on moderation.passkeys from unsaid_moderation;
-- Ended sessions are deleted by a worker.
revoke insert, update on moderation.sessions from unsaid_moderation;

grant select, insert, update on moderation.moderators to unsaid_console;
grant select, insert, delete, update (counter) on moderation.passkeys to unsaid_console;
grant select, insert, update, delete on moderation.sessions, moderation.cases, moderation.reports, moderation.notices
  to unsaid_console;
grant select, insert (at, actor, action, case_id, detail) on moderation.audit to unsaid_console;
