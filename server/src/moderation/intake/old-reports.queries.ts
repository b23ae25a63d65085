import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';

/** Reports as servers before moderation stored them. During a rollout such a server may still write some. */
export async function listOldReports(db: ContentDb, limit: number) {
  return db
    .selectFrom('content.reports')
    .select(['id', 'ventId', 'reporterKey', 'reason', 'snapshot', 'reportedOn'])
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteOldReport(db: ContentDb, id: string): Promise<void> {
  await sql`delete from content.reports where id = ${id}::uuid`.execute(db);
}
