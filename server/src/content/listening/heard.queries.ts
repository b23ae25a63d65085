import { sql } from 'kysely';
import type { HeardWeek } from '@unsaid/contract';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';

interface Span {
  readonly from: Date;
  readonly before: Date;
}

/**
 * Visible vents that are open for comments, or were until they had an answer. Without those that want a hug, and those that
 * are gone by themselves before the week is counted.
 */
const tookAnswers = ({ from, before }: Span) => sql`
  from content.vents as vent join content.vent_stats as stats on stats.vent_id = vent.id
 where vent.state = 'visible' and vent.created_at >= ${from} and vent.created_at < ${before}
   and vent.keep_days is null and vent.need is distinct from 'hug'
   and (stats.allow_comments or stats.answers > 0)`;

interface WeekVents {
  readonly vents: number;
  readonly byNextDay: number;
}

/** Days are those of India. */
export async function countWeek(db: ContentDb, span: Span): Promise<WeekVents> {
  const { rows } = await sql<WeekVents>`
    select count(*)::int as vents,
           (count(*) filter (where answers > 0 and exists (
              select from content.comments as comment
               where comment.vent_id = took.id and comment.state = 'visible' and comment.voice <> 'author'
                 and comment.said_on <= took.posted_on + 1)))::int as by_next_day
      from (select vent.id, stats.answers, (vent.created_at at time zone 'Asia/Kolkata')::date as posted_on
              ${tookAnswers(span)}) as took`.execute(db);
  return rows[0] as WeekVents;
}

/** The first figure of a week stays. */
export async function insertWeek(db: ContentDb, figure: HeardWeek): Promise<void> {
  await db
    .insertInto('content.heardWeeks')
    .values(figure)
    .onConflict((conflict) => conflict.column('week').doNothing())
    .execute();
}

export async function findNewestWeek(db: ContentDb, since: Day): Promise<HeardWeek | null> {
  const row = await db
    .selectFrom('content.heardWeeks')
    .select(['week', 'byNextDay'])
    .where('week', '>=', since)
    .orderBy('week', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

interface WaitingNow {
  readonly answers: number;
  readonly vents: number;
  readonly oldestAt: Date;
}

/** Open vents since a time that wait for their first or second answer. */
export async function countWaiting(db: ContentDb, since: Date): Promise<WaitingNow[]> {
  const { rows } = await sql<WaitingNow>`
    select stats.answers, count(*)::int as vents, min(vent.created_at) as oldest_at
      from content.vents as vent join content.vent_stats as stats on stats.vent_id = vent.id
     where vent.state = 'visible' and vent.created_at >= ${since} and stats.answers < 2 and stats.allow_comments
     group by stats.answers`.execute(db);
  return rows;
}

/** Vents of a time that took answers, and how many they got. */
export async function countAnswers(
  db: ContentDb,
  span: Span,
): Promise<{ readonly vents: number; readonly answers: number }> {
  const { rows } = await sql<{ vents: number; answers: number }>`
    select count(*)::int as vents, coalesce(sum(answers), 0)::int as answers
      from (select (select count(*) from content.comments as comment
                     where comment.vent_id = vent.id and comment.state = 'visible' and comment.voice <> 'author')
                     as answers
              ${tookAnswers(span)}) as took`.execute(db);
  return rows[0] as { vents: number; answers: number };
}
