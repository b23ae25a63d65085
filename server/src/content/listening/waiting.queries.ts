import { sql } from 'kysely';
import type { Language } from '@unsaid/guard/language';
import type { ContentDb } from '../../platform/db.ts';
import type { Answers, Waiting } from './draw.ts';

export interface ListedVent {
  readonly ventId: bigint;
  readonly answers: Answers;
}

/**
 * Open vents with less than two answers since a time, newest first, from the index alone. Joined to the vents, it would
 * read a page for each of them. The rows are compared as pairs, because with `answers = 0` the planner may walk the primary
 * key instead, and read all newer vents.
 */
export async function listWaiting(
  db: ContentDb,
  since: Date,
  limits: Readonly<Record<Answers, number>>,
): Promise<ListedVent[]> {
  const queue = (answers: Answers) => sql`
    (select vent_id, answers from content.vent_stats
      where answers < 2 and allow_comments
        and (answers, vent_id) > (${answers}::smallint, coalesce((
              select id from content.vents where state = 'visible' and created_at < ${since}
               order by created_at desc, id desc limit 1), 0))
        and (answers, vent_id) < (${answers + 1}::smallint, 0::bigint)
      order by answers desc, vent_id desc limit ${limits[answers]})`;
  const { rows } = await sql<ListedVent>`
    select vent_id, answers from (${queue(0)} union all ${queue(1)}) as waiting`.execute(db);
  return rows;
}

/** Those that are visible. */
export async function findWaiting(
  db: ContentDb,
  ventIds: readonly bigint[],
): Promise<Omit<Waiting, 'answers'>[]> {
  const { rows } = await sql<{ id: bigint; createdAt: Date; language: Language | null }>`
    select id, created_at, language from content.vents
     where id = any(${ventIds}::bigint[]) and state = 'visible'
     order by id`.execute(db);
  return rows.map(({ id, createdAt, language }) => ({
    ventId: id,
    createdAt: createdAt.getTime(),
    language,
  }));
}
