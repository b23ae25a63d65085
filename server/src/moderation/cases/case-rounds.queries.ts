import { sql, type SqlBool } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';

type CaseEventDue = 'unpause' | 'lapse';

/** In the order of ids. */
interface DueBatch {
  readonly now: Date;
  readonly after: bigint;
  readonly limit: number;
}

/** The cases for which the clock has an event. The conditions are those of the partial indexes. */
export async function listDue(db: ModerationDb, event: CaseEventDue, { now, after, limit }: DueBatch) {
  const due = {
    unpause: sql<SqlBool>`paused_at is not null and outcome is null and pause_ends_at <= ${now}`,
    lapse: sql<SqlBool>`state = 'decided' and appeal_until <= ${now}`,
  }[event];
  const rows = await db
    .selectFrom('moderation.cases')
    .select('id')
    .where(due)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Open cases of severity 1 and 2 in the order of ids. */
export async function listMild(db: ModerationDb, after: bigint, limit: number) {
  return db
    .selectFrom('moderation.cases')
    .select(['id', 'subjectKey'])
    .where('state', 'in', ['open', 'escalated'])
    .where('severity', '<=', 2)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Empties what is encrypted in cases that are purged at `purgeBefore` or earlier. */
export async function emptySealed(db: ModerationDb, purgeBefore: Date): Promise<void> {
  await sql`
    update moderation.reports set sealed_details = null
     where sealed_details is not null
       and case_id in (select id from moderation.cases where purge_at <= ${purgeBefore})`.execute(db);
  await sql`
    update moderation.cases
       set sealed_item = null, sealed_author = null, sealed_note = null, sealed_appeal = null
     where purge_at <= ${purgeBefore}
       and coalesce(sealed_item, sealed_author, sealed_note, sealed_appeal) is not null`.execute(db);
}

/**
 * Rewrites the reports whose slot a newer report of the same person took. The newer one was written in the same
 * transaction, whose id stands on both rows. In the order of keys, which is random; one statement for each, because an
 * UPDATE of several has no order.
 */
export async function rewriteWithoutSlot(tx: ModerationDb): Promise<void> {
  const rows = await tx
    .selectFrom('moderation.reports')
    .select('id')
    .where('slotKey', 'is', null)
    .orderBy('reporterKey')
    .execute();
  for (const { id } of rows)
    await tx
      .updateTable('moderation.reports')
      .set({ slotKey: null })
      .where('id', '=', id)
      .where('slotKey', 'is', null)
      .execute();
}

export async function deleteExpiredNotices(db: ModerationDb, now: Date): Promise<void> {
  await db.deleteFrom('moderation.notices').where('expiresAt', '<=', now).execute();
}

interface PurgedCase {
  readonly id: bigint;
  readonly subjectKey: Buffer;
  /** Removed by a decision that stands. */
  readonly isRemoved: boolean;
}

/** Without those whose notice still exists. */
export async function listPurged(db: ModerationDb, { now, after, limit }: DueBatch): Promise<PurgedCase[]> {
  const { rows } = await sql<PurgedCase>`
    select id, subject_key, coalesce(outcome = 'remove' and resolution is distinct from 'overturned', false) as is_removed
      from moderation.cases as c
     where purge_at <= ${now} and pending_effect is null and id > ${after}
       and not exists (select 1 from moderation.notices as n where n.case_id = c.id)
     order by id limit ${limit}`.execute(db);
  return rows;
}

/** With its reports. */
export async function deleteCase(db: ModerationDb, caseId: bigint): Promise<void> {
  await db.deleteFrom('moderation.cases').where('id', '=', caseId).execute();
}

/** Vents whose state a case may have changed. */
export async function listMovedVents(db: ModerationDb): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('moderation.cases')
    .select('subjectKey')
    .distinct()
    .where('subjectKind', '=', 'vent')
    .where(sql<SqlBool>`(outcome in ('hide', 'remove') or paused_at is not null or is_frozen)`)
    .execute();
  return rows.map(({ subjectKey }) => subjectKey);
}
