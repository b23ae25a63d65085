import type { ModerationDb } from '../platform/db.ts';

/** Whether a case of at least this severity waits for a decision or for the end of its appeal. */
export async function hasOpenCase(db: ModerationDb, subjectKey: Buffer, severity: number): Promise<boolean> {
  const row = await db
    .selectFrom('moderation.cases')
    .select('id')
    .where('subjectKey', '=', subjectKey)
    .where('state', '<>', 'closed')
    .where('severity', '>=', severity)
    .executeTakeFirst();
  return row !== undefined;
}
