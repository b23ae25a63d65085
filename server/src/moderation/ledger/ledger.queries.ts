import { sql } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';

/** Counts entries of the audit log by month. It has no text, no item and no user; cases are deleted, entries are not. */

interface Span {
  readonly from: Date;
  readonly before: Date;
}

export interface MonthCounts {
  readonly month: string;
  readonly reports: number;
  readonly pauses: number;
  readonly appeals: number;
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

export interface Decision {
  readonly month: string;
  readonly rule: string;
  readonly outcome: string;
  /** Since the last entry `opened` of the case: staff may take a case over. */
  readonly hours: number;
}

export async function listDecisions(db: ModerationDb, { from, before }: Span): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    select to_char(d.at at time zone 'Asia/Kolkata', 'YYYY-MM') as month,
           d.detail ->> 'policy' as rule, d.detail ->> 'outcome' as outcome,
           (extract(epoch from d.at - (select o.at from moderation.audit as o
                                        where o.case_id = d.case_id and o.action = 'opened' and o.seq < d.seq
                                        order by o.seq desc limit 1)) / 3600)::float8 as hours
      from moderation.audit as d
     where d.action = 'decided' and d.at >= ${from} and d.at < ${before}`.execute(db);
  return rows;
}

export async function firstEntryAt(db: ModerationDb): Promise<Date | null> {
  const row = await db.selectFrom('moderation.audit').select('at').orderBy('seq').limit(1).executeTakeFirst();
  return row?.at ?? null;
}
