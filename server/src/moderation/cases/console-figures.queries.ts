import type { Outcome } from '@unsaid/contract/moderation/console';
import { sql } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';

export async function countBacklog(db: ModerationDb, now: Date) {
  const { rows } = await sql<{ severity: number; waiting: number; overdue: number }>`
    select severity, count(*)::int as waiting, count(*) filter (where due_at < ${now})::int as overdue
      from moderation.cases where state in ('open', 'escalated', 'appealed')
     group by severity order by severity desc`.execute(db);
  return rows;
}

/** Decisions of people within the hours that were promised. Appeals by the time from the appeal. */
export async function countClocks(db: ModerationDb, since: Date) {
  const { rows } = await sql<{ name: string; decided: number; inTime: number }>`
    with decided as (
      select source, severity, extract(epoch from decided_at - opened_at) / 3600 as hours
        from moderation.cases where decided_at > ${since} and outcome <> 'moot'),
    clocks (place, name, hours, is_orders, severity) as (values
      (1, 'severity 4: 2 hours', 2, false, 4),
      (2, 'dangerous: 36 hours', 36, false, 3),
      (3, 'all: 7 days', 168, false, 1),
      (4, 'orders: 3 hours', 3, true, 1))
    select clocks.place, clocks.name, count(decided.hours)::int as decided,
           count(*) filter (where decided.hours <= clocks.hours)::int as in_time
      from clocks left join decided
        on decided.severity >= clocks.severity and (decided.source = 'order') = clocks.is_orders
     group by clocks.place, clocks.name
    union all
    select 5, 'appeals: 72 hours', count(*)::int,
           count(*) filter (where resolved_at <= due_at)::int
      from moderation.cases where resolved_at > ${since} and appealed_at is not null
     order by place`.execute(db);
  return rows;
}

export async function countDecisions(db: ModerationDb, since: Date) {
  const { rows } = await sql<{ outcome: Outcome; count: number }>`
    select outcome, count(*)::int as count from moderation.cases
     where decided_at > ${since} group by outcome order by outcome`.execute(db);
  return rows;
}

export async function medianHours(db: ModerationDb, since: Date): Promise<number | null> {
  const { rows } = await sql<{ hours: number | null }>`
    select round((percentile_cont(0.5) within group (order by extract(epoch from decided_at - opened_at)) / 3600)::numeric,
                 1)::float as hours
      from moderation.cases where decided_at > ${since} and outcome <> 'moot'`.execute(db);
  return rows[0]?.hours ?? null;
}

export async function countAppeals(db: ModerationDb, since: Date) {
  const { rows } = await sql<{ resolved: number; overturned: number; waiting: number }>`
    select count(*) filter (where resolved_at > ${since})::int as resolved,
           count(*) filter (where resolved_at > ${since} and resolution = 'overturned')::int as overturned,
           count(*) filter (where state = 'appealed')::int as waiting
      from moderation.cases where appealed_at is not null`.execute(db);
  return rows[0] ?? { resolved: 0, overturned: 0, waiting: 0 };
}

/** Confirmed: a person took the item away too, and nobody overturned it. */
export async function countPauses(db: ModerationDb, since: Date) {
  const { rows } = await sql<{ made: number; confirmed: number }>`
    select count(*)::int as made,
           count(*) filter (where c.outcome in ('hide', 'remove') and c.resolution is distinct from 'overturned')::int
             as confirmed
      from (select distinct case_id from moderation.audit where action = 'paused' and at > ${since}) as paused
      left join moderation.cases as c on c.id = paused.case_id`.execute(db);
  return rows[0] ?? { made: 0, confirmed: 0 };
}

export async function countActions(db: ModerationDb, action: string, since: Date): Promise<number> {
  const row = await db
    .selectFrom('moderation.audit')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('action', '=', action)
    .where('at', '>', since)
    .executeTakeFirstOrThrow();
  return row.count;
}
