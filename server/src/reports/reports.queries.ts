import { sql, type Insertable } from 'kysely';
import type { ContentTables } from '../db/schema.ts';
import type { Day } from '../platform/clock.ts';
import type { ContentDb } from '../platform/db.ts';

type NewReport = Pick<
  Insertable<ContentTables['content.reports']>,
  'ventId' | 'reporterKey' | 'reason' | 'reportedOn'
>;

/** Stores a snapshot of the vent with the report. A second report of one person on a vent changes nothing. */
export async function insertReport(
  db: ContentDb,
  { ventId, reporterKey, reason, reportedOn }: NewReport,
): Promise<void> {
  await sql`
    insert into content.reports (vent_id, reporter_key, reason, snapshot, reported_on)
    select vent.id, ${reporterKey}::bytea, ${reason},
           jsonb_build_object('title', vent.title, 'text', vent.body, 'emotion', vent.emotion, 'hashtags', vent.hashtags),
           ${reportedOn}::date
      from content.vents as vent where vent.id = ${ventId}
    on conflict (vent_id, reporter_key) do nothing`.execute(db);
}

export async function listReports(db: ContentDb, limit: number) {
  return db
    .selectFrom('content.reports')
    .select(['id', 'ventId', 'reason', 'snapshot', 'reportedOn'])
    .orderBy('reportedOn', 'desc')
    .limit(limit)
    .execute();
}

export async function deleteOldReports(db: ContentDb, before: Day): Promise<void> {
  await db.deleteFrom('content.reports').where('reportedOn', '<', before).execute();
}
