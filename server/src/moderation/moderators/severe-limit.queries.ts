import { sql } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';

/** How many texts of severity 3 and 4 a moderator may still reveal, counted in the audit log since `since`. */
export async function readSevereLeft(
  db: ModerationDb,
  { moderatorId, alias }: { readonly moderatorId: number; readonly alias: string },
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select greatest(0, m.severe_per_day - (
             select count(*) from moderation.audit
              where actor = ${alias} and at >= ${since} and action = 'revealed'
                and (detail ->> 'severity')::integer >= 3))::integer as left
      from moderation.moderators as m
     where m.id = ${moderatorId}`.execute(db);
  return rows[0]?.left ?? 0;
}
