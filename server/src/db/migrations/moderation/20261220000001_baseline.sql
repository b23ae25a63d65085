-- Breaks the release before: all earlier migrations became this one. No installation with users has them.
--
-- Cases, reports, notices, moderators and the audit log (docs/adr/0012). No row
-- names a user. The subject of a case is one AES block, its author and all text are encrypted, and the reports and
-- notices of one person are in slots, each under a key of its own, so that no two of them can be linked.
-- The rights of each table are at the end of this file.

-- Staff. Created by a command and known by an alias: an account of the product would link staff to vents.
create table moderation.moderators (
  id integer generated always as identity primary key,
  alias text not null unique check (alias ~ '^[a-z][a-z0-9-]{1,29}$'),
  role text not null check (role in ('moderator', 'lead', 'auditor')),
  languages text[] not null default '{en,hi,hinglish,other}',
  -- Daily limit of revealed texts of severity 3 and 4.
  severe_per_day smallint not null default 25 check (severe_per_day between 0 and 200),
  -- Hash of the token in the link that registers a passkey. Valid once.
  enrol_sha256 bytea unique check (octet_length(enrol_sha256) = 32),
  enrol_until timestamptz,
  disabled_on date,
  check ((enrol_sha256 is null) = (enrol_until is null))
);

create table moderation.passkeys (
  credential_id bytea primary key check (octet_length(credential_id) between 16 and 1023),
  moderator_id integer not null references moderation.moderators,
  -- A COSE key. It is public: stealing it gives no access.
  public_key bytea not null check (octet_length(public_key) between 40 and 1024),
  -- Of the authenticator. 0 for synced passkeys, which do not count.
  counter bigint not null default 0 check (counter >= 0),
  added_on date not null
);
-- Serves: the passkeys of a moderator; the foreign key.
create index passkeys_moderator on moderation.passkeys (moderator_id);

create table moderation.sessions (
  token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
  moderator_id integer not null references moderation.moderators,
  -- The last passkey proof. Some actions require a recent one.
  proven_at timestamptz not null,
  seen_at timestamptz not null,
  ends_at timestamptz not null
);
-- Serves: ending all sessions of a moderator; the foreign key.
create index sessions_moderator on moderation.sessions (moderator_id);
-- Serves: the purge.
create index sessions_ends on moderation.sessions (ends_at);

-- At most one undecided case for an item. Reports can pause an item automatically; only a person decides.
create table moderation.cases (
  id bigint generated always as identity primary key,
  -- The kind and id of the item, encrypted as one AES block.
  subject_key bytea not null check (octet_length(subject_key) = 16),
  subject_kind text not null check (subject_kind in ('vent', 'comment', 'profile')),
  source text not null check (source in ('report', 'staff', 'order')),
  -- The rule that reports name; from the decision on, the rule that was applied. The contract has the list.
  policy text not null check (policy ~ '^[a-z_]{3,30}$'),
  severity smallint not null check (severity between 1 and 4),
  language text not null check (language in ('en', 'hi', 'hinglish', 'other')),
  state text not null default 'open' check (state in ('open', 'escalated', 'decided', 'appealed', 'closed')),
  -- Incremented by every change. A decision names the version that the moderator saw.
  version integer not null default 0,

  -- Encrypted and padded: a length could be compared with the lengths of vents. Emptied 30 days after closing.
  sealed_item bytea,
  sealed_author bytea,
  sealed_note bytea,
  sealed_appeal bytea,

  reporters integer not null default 0 check (reporters >= 0),
  -- No automatic pause: the reports look coordinated, a pause has ended, or a moderator kept the item within the day.
  is_frozen boolean not null default false,

  opened_at timestamptz not null,
  due_at timestamptz not null,
  paused_at timestamptz,
  pause_ends_at timestamptz,
  leased_by integer references moderation.moderators,
  leased_until timestamptz,
  outcome text check (outcome in ('keep', 'care', 'hide', 'remove', 'moot')),
  decided_by integer references moderation.moderators,
  decided_at timestamptz,
  appeal_until timestamptz,
  appealed_at timestamptz,
  resolution text check (resolution in ('upheld', 'overturned')),
  resolved_by integer references moderation.moderators,
  resolved_at timestamptz,
  -- What the owning service still has to apply to the item. Retried until done.
  pending_effect text check (pending_effect in ('hide', 'remove', 'restore')),
  purge_at timestamptz,

  constraint cases_open_until_decided check ((state in ('open', 'escalated')) = (outcome is null)),
  constraint cases_decided_by_people check (
    (outcome is null) = (decided_at is null)
    and (outcome is not null and outcome <> 'moot') = (decided_by is not null)
  ),
  -- Only a restriction can be appealed.
  constraint cases_appealable check (
    (appeal_until is not null) = (outcome is not null and outcome in ('hide', 'remove'))
    and (state not in ('decided', 'appealed') or appeal_until is not null)
  ),
  constraint cases_appeal_in_time check (
    (appealed_at is null or appealed_at <= appeal_until)
    and (state <> 'appealed' or (appealed_at is not null and sealed_appeal is not null))
  ),
  constraint cases_resolved check (
    (resolution is null) = (resolved_by is null) and (resolution is null) = (resolved_at is null)
    and (resolution is null or (state = 'closed' and appeal_until is not null))
  ),
  constraint cases_second_person check (resolved_by <> decided_by),
  constraint cases_leased check (
    (leased_by is null) = (leased_until is null)
    and (leased_by is null or state in ('open', 'escalated', 'appealed'))
    and (state <> 'appealed' or leased_by is distinct from decided_by)
  ),
  constraint cases_pause_is_short check (
    (paused_at is null) = (pause_ends_at is null) and pause_ends_at <= paused_at + interval '72 hours'
  ),
  constraint cases_purged_when_closed check ((purge_at is not null) = (state = 'closed'))
);
-- Serves: the undecided case of an item, of which there is one. A decided case may wait for an appeal for months; a
-- profile can be written again meanwhile, and be reported again.
create unique index cases_live on moderation.cases (subject_key) where state in ('open', 'escalated');
-- Serves: earlier cases of an item.
create index cases_subject on moderation.cases (subject_key, decided_at desc);
-- Serves: the queue, and how long it is: counted from the index alone, because the rows are wide.
create index cases_waiting on moderation.cases ((severity = 4), due_at, id) include (state, decided_by)
  where state in ('open', 'escalated', 'appealed');
-- Serves: what is overdue for a day, of any severity.
create index cases_overdue on moderation.cases (due_at, id) where state in ('open', 'escalated', 'appealed');
-- Serves: the list of decided cases, newest first.
create index cases_decided on moderation.cases (decided_at desc, id desc) where state in ('decided', 'closed');
-- Serve: the minute's job: pauses and appeal windows that end, effects that are pending.
create index cases_paused on moderation.cases (pause_ends_at) where paused_at is not null and outcome is null;
create index cases_window on moderation.cases (appeal_until) where state = 'decided';
create index cases_effect on moderation.cases (id) where pending_effect is not null;
create index cases_purge on moderation.cases (purge_at) where purge_at is not null;
-- Serve: the foreign keys; the leases and decisions of a moderator.
create index cases_leased_by on moderation.cases (leased_by) where leased_by is not null;
create index cases_decided_by on moderation.cases (decided_by, decided_at) where decided_by is not null;
create index cases_resolved_by on moderation.cases (resolved_by) where resolved_by is not null;

-- A decision is never overwritten. Another moderator can reverse it, and both stay.
create function moderation.keep_decision() returns trigger language plpgsql as $$
begin
  if old.outcome is not null and (new.outcome, new.decided_by, new.decided_at, new.policy, new.appeal_until)
     is distinct from (old.outcome, old.decided_by, old.decided_at, old.policy, old.appeal_until) then
    raise exception 'a decision cannot be changed' using errcode = 'integrity_constraint_violation';
  end if;
  if old.appealed_at is not null and new.appealed_at is distinct from old.appealed_at then
    raise exception 'a case has one appeal' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger keep_decision before update on moderation.cases
  for each row execute function moderation.keep_decision();

create table moderation.reports (
  id bigint generated always as identity primary key,
  case_id bigint not null references moderation.cases on delete cascade,
  -- Different for every person and item: one person counts once on an item.
  reporter_key bytea not null check (octet_length(reporter_key) = 16),
  -- The key of the reporter's n-th slot: they find their own reports by it, and their accuracy is counted. Null where a
  -- newer report took the slot.
  slot_key bytea check (octet_length(slot_key) = 16),
  reason text not null check (reason in ('inappropriate', 'harassment', 'spam', 'private_info',
    'encourages_self_harm', 'minor_safety', 'worried', 'other')),
  sealed_details bytea,
  -- Until the decision, then 0 and false: both tell how old the reporter's account is, and the days on which accounts
  -- were made are in the same dump.
  weight real not null check (weight >= 0),
  is_newcomer boolean not null,
  -- This report triggered the pause. Nobody has two of these that wait for a decision.
  is_tipping boolean not null default false,
  outcome text not null default 'pending' check (outcome in ('pending', 'agreed', 'disagreed', 'unused')),
  created_at timestamptz not null,
  unique (case_id, reporter_key)
);
-- Serves: the reports of a person. A slot is taken once.
create unique index reports_slot on moderation.reports (slot_key) where slot_key is not null;

-- What an author is told, and the sanction. Found by whoever can compute its slot key.
create table moderation.notices (
  id bigint generated always as identity primary key,
  -- The key of the author's n-th slot. Two notices of one person cannot be linked, so each may name its case.
  slot_key bytea not null unique check (octet_length(slot_key) = 16),
  case_id bigint not null unique references moderation.cases,
  kind text not null check (kind in ('care', 'hide', 'remove')),
  policy text not null,
  policy_version smallint not null,
  points smallint not null default 0 check (points between 0 and 9),
  sanction text not null default 'none' check (sanction in ('none', 'limit', 'suspend', 'ban')),
  -- Random within six hours of the decision, unless waiting is dangerous.
  starts_at timestamptz,
  ends_at timestamptz,
  voided_at timestamptz,
  made_on date not null,
  expires_at timestamptz not null,
  constraint notices_sanction_ends check (
    (sanction = 'none') = (starts_at is null) and (starts_at is null) = (ends_at is null)
    and ends_at > starts_at and ends_at <= starts_at + interval '181 days' and expires_at >= coalesce(ends_at, expires_at)
  ),
  constraint notices_care_is_no_punishment check (kind <> 'care' or (sanction = 'none' and points = 0))
);
-- Serves: the purge.
create index notices_expire on moderation.notices (expires_at);

-- The audit log: append-only, and a hash chain. It has no text, no key and no user.
create table moderation.audit (
  seq bigint primary key,
  at timestamptz not null,
  -- An alias of a moderator, or: reports, clock, author, operator.
  actor text not null,
  action text not null check (action ~ '^[a-z_]{3,30}$'),
  case_id bigint,
  detail jsonb not null default '{}',
  -- Random. The hash of a day's last entry is public: without this, anyone could try what a quiet day's entries say.
  salt uuid not null,
  prev_hash bytea not null,
  hash bytea not null
);
-- Serves: the history of a case.
create index audit_case on moderation.audit (case_id, seq) where case_id is not null;
-- Serves: how much a moderator has revealed today.
create index audit_actor on moderation.audit (actor, at);
-- Serves: the ledger.
create index audit_action on moderation.audit (action, at);

create function moderation.audit_hash(a moderation.audit) returns bytea language sql stable as $$
  select sha256(a.prev_hash || convert_to(
    jsonb_build_array(a.seq, extract(epoch from a.at), a.actor, a.action, a.case_id, a.detail, a.salt)::text, 'UTF8'))
$$;
-- The number is drawn inside the lock: drawn before it, concurrent rows would be chained in another order.
create function moderation.chain_audit() returns trigger language plpgsql as $$
declare
  last moderation.audit;
begin
  perform pg_advisory_xact_lock(hashtext('moderation.audit'));
  select * into last from moderation.audit order by seq desc limit 1;
  new.seq := coalesce(last.seq, 0) + 1;
  new.salt := gen_random_uuid();
  new.prev_hash := coalesce(last.hash, '\x');
  new.hash := moderation.audit_hash(new);
  return new;
end
$$;
create trigger chain_audit before insert on moderation.audit
  for each row execute function moderation.chain_audit();
create function moderation.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger refuse_change before update or delete on moderation.audit
  for each row execute function moderation.refuse_change();
create trigger refuse_truncate before truncate on moderation.audit
  for each statement execute function moderation.refuse_change();
-- The first row that does not fit the chain, or null.
create function moderation.first_broken_audit() returns bigint language sql stable as $$
  select min(seq) from (
    select a.seq, a.hash, moderation.audit_hash(a) as made, a.prev_hash,
           coalesce(lag(a.hash) over (order by a.seq), '\x') as before, row_number() over (order by a.seq) as place
      from moderation.audit as a) as row
   where hash <> made or prev_hash <> before or seq <> place
$$;

grant select, insert, update on moderation.moderators to unsaid_moderation;
grant select, insert, delete, update (counter) on moderation.passkeys to unsaid_moderation;
grant select, insert, update, delete on moderation.sessions, moderation.cases, moderation.reports, moderation.notices
  to unsaid_moderation;
grant select, insert (at, actor, action, case_id, detail) on moderation.audit to unsaid_moderation;

-- The planner samples values, and its samples outlive the rows: nothing encrypted, no key and no hash is sampled.
alter table moderation.moderators alter column enrol_sha256 set statistics 0;
alter table moderation.passkeys alter column credential_id set statistics 0, alter column public_key set statistics 0;
alter table moderation.sessions alter column token_sha256 set statistics 0;
alter table moderation.cases
  alter column subject_key set statistics 0,
  alter column sealed_item set statistics 0,
  alter column sealed_author set statistics 0,
  alter column sealed_note set statistics 0,
  alter column sealed_appeal set statistics 0;
alter table moderation.reports
  alter column reporter_key set statistics 0,
  alter column slot_key set statistics 0,
  alter column sealed_details set statistics 0;
alter table moderation.notices alter column slot_key set statistics 0;
alter table moderation.audit alter column prev_hash set statistics 0, alter column hash set statistics 0;
