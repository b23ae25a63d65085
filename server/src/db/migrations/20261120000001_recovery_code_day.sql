-- Settings show on which day a code was made, so that its owner notices one that somebody else made at an open session.
alter table identity.recovery_codes add column made_on date not null default current_date;
