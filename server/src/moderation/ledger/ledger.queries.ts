import { sql } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';

/** Counts entries of the audit log by month. It has no text, no item and no user; cases are deleted, entries are not. */

export interface Span {
  readonly from: Date;
  readonly before: Date;
}

export interface MonthCounts {
  readonly month: string;
  readonly reports: number;
  readonly pauses: number;
  readonly appeals: number;
  readonly resolved: number;
  readonly overturned: number;
  readonly reversed: number;
  readonly orders: number;
}

export async function countEntries(db: ModerationDb, { from, before }: Span): Promise<MonthCounts[]> {
  const { rows } = await sql<MonthCounts>`
    select to_char(at at time zone 'Asia/Kolkata', 'YYYY-MM') as month,
           (count(*) filter (where action = 'reported'))::integer as reports,
           (count(*) filter (where action = 'paused'))::integer as pauses,
           (count(*) filter (where action = 'appealed'))::integer as appeals,
           (count(*) filter (where action = 'resolved'))::integer as resolved,
           (count(*) filter (where action = 'resolved' and detail ->> 'resolution' = 'overturned'))::integer
             as overturned,
           (count(*) filter (where action = 'reversed'))::integer as reversed,
           (count(*) filter (where action = 'opened' and detail ->> 'source' = 'order'))::integer as orders
      from moderation.audit
     where action in ('reported', 'paused', 'appealed', 'resolved', 'reversed', 'opened')
       and at >= ${from} and at < ${before}
     group by month`.execute(db);
  return rows;
}

/** A case is timed from its last entry `opened` (staff may take a case over), and its clock is the one of the severity and source it was opened with. */
const decisions = ({ from, before }: Span) => sql`
  select to_char(d.at at time zone 'Asia/Kolkata', 'YYYY-MM') as month,
         d.detail ->> 'outcome' as outcome,
         coalesce(d.detail ->> 'policy', o.detail ->> 'policy', 'other') as rule,
         coalesce(o.detail ->> 'source', '') = 'order' as is_order,
         coalesce((o.detail ->> 'severity')::integer, 1) >= 3 as is_dangerous,
         d.at - o.at as took,
         exists (select from moderation.audit as p
                  where p.case_id = d.case_id and p.action = 'paused' and p.seq < d.seq) as was_paused
    from moderation.audit as d
    left join lateral (select at, detail from moderation.audit
                        where case_id = d.case_id and action = 'opened' and seq < d.seq
                        order by seq desc limit 1) as o on true
   where d.action = 'decided' and d.at >= ${from} and d.at < ${before}`;

export interface DecisionCount {
  readonly month: string;
  readonly rule: string;
  readonly outcome: string;
  readonly count: number;
}

/** Without orders. */
export async function countDecisions(db: ModerationDb, span: Span): Promise<DecisionCount[]> {
  const { rows } = await sql<DecisionCount>`
    select month, rule, outcome, count(*)::integer as count
      from (${decisions(span)}) as decided
     where not is_order group by month, rule, outcome`.execute(db);
  return rows;
}

export interface DecisionTimes {
  readonly month: string;
  readonly medianHours: number | null;
  readonly timed: number;
  readonly in7days: number;
  readonly dangerous: number;
  readonly dangerousIn36h: number;
  readonly orders: number;
  readonly ordersIn3h: number;
  readonly afterPause: number;
  readonly confirmed: number;
}

export async function timeDecisions(db: ModerationDb, span: Span): Promise<DecisionTimes[]> {
  const { rows } = await sql<DecisionTimes>`
    select month,
           percentile_cont(0.5) within group (order by extract(epoch from took) / 3600.0)
             filter (where not is_order) as "medianHours",
           (count(took) filter (where not is_order))::integer as timed,
           (count(*) filter (where not is_order and took <= interval '7 days'))::integer as "in7days",
           (count(took) filter (where not is_order and is_dangerous))::integer as dangerous,
           (count(*) filter (where not is_order and is_dangerous and took <= interval '36 hours'))::integer
             as "dangerousIn36h",
           (count(took) filter (where is_order))::integer as orders,
           (count(*) filter (where is_order and took <= interval '3 hours'))::integer as "ordersIn3h",
           (count(*) filter (where was_paused))::integer as "afterPause",
           (count(*) filter (where was_paused and outcome in ('hide', 'remove')))::integer as confirmed
      from (${decisions(span)}) as decided group by month`.execute(db);
  return rows;
}

export async function firstEntryAt(db: ModerationDb): Promise<Date | null> {
  const row = await db.selectFrom('moderation.audit').select('at').orderBy('seq').limit(1).executeTakeFirst();
  return row?.at ?? null;
}
