import { sql } from 'kysely';
import type { ModerationDb } from '../platform/db.ts';

/** Newest first. */
export async function listAudit(
  db: ModerationDb,
  {
    before,
    caseId,
    limit,
  }: { readonly before: bigint | null; readonly caseId: bigint | null; readonly limit: number },
) {
  let query = db
    .selectFrom('moderation.audit')
    .select(['seq', 'at', 'actor', 'action', 'caseId', 'detail', 'hash'])
    .orderBy('seq', 'desc')
    .limit(limit);
  if (before !== null) query = query.where('seq', '<', before);
  if (caseId !== null) query = query.where('caseId', '=', caseId);
  return query.execute();
}

export async function firstBrokenAudit(db: ModerationDb): Promise<bigint | null> {
  const { rows } = await sql<{ broken: bigint | null }>`
    select moderation.first_broken_audit() as broken`.execute(db);
  return rows[0]?.broken ?? null;
}

/** The last entry, or the last one before a time. */
export async function findAuditHead(
  db: ModerationDb,
  before: Date | null,
): Promise<{ readonly seq: bigint; readonly hash: Buffer } | null> {
  let query = db.selectFrom('moderation.audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);
  if (before !== null) query = query.where('at', '<', before);
  return (await query.executeTakeFirst()) ?? null;
}
