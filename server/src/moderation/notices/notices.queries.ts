import { sql, type Insertable } from 'kysely';
import type { ModerationTables } from '../../db/schema.ts';
import type { Day } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { CaseRow } from '../cases/case-row.ts';

type NewNoticeRow = Insertable<ModerationTables['moderation.notices']>;

/** A notice with what its reader may know of its case. */
export type NoticeRow = Awaited<ReturnType<typeof listNotices>>[number];

/** Newest first. */
export async function listNotices(db: ModerationDb, slotKeys: readonly Buffer[], now: Date) {
  return db
    .selectFrom('moderation.notices as notice')
    .innerJoin('moderation.cases as case', 'case.id', 'notice.caseId')
    .select(['notice.id', 'notice.kind', 'notice.policy', 'notice.slotKey', 'notice.sealed', 'notice.madeOn'])
    .select(['case.subjectKey', 'case.subjectKind', 'case.sealedItem', 'case.sealedAuthor'])
    .select(['case.state', 'case.appealUntil', 'case.resolution'])
    .where('notice.slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .where('notice.expiresAt', '>', now)
    .orderBy('notice.madeOn', 'desc')
    .orderBy('notice.id', 'desc')
    .execute();
}

/** Newest first. */
export async function listHeads(db: ModerationDb, slotKeys: readonly Buffer[], now: Date) {
  const { rows } = await sql<{ id: bigint; day: Day }>`
    select id, made_on as day from moderation.notices
     where slot_key = any(${slotKeys}::bytea[]) and expires_at > ${now}
     order by made_on desc, id desc`.execute(db);
  return rows;
}

/** The case of a notice in one of these slots, locked. */
export async function lockCaseOfNotice(
  tx: ModerationDb,
  noticeId: bigint,
  slotKeys: readonly Buffer[],
  now: Date,
): Promise<CaseRow | undefined> {
  const row = await tx
    .selectFrom('moderation.notices as notice')
    .innerJoin('moderation.cases as case', 'case.id', 'notice.caseId')
    .selectAll('case')
    .where('notice.id', '=', noticeId)
    .where('notice.slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .where('notice.expiresAt', '>', now)
    .forUpdate('case')
    .executeTakeFirst();
  return row as CaseRow | undefined;
}

export async function listTaken(tx: ModerationDb, takenKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await tx
    .selectFrom('moderation.takenSlots')
    .select('takenKey')
    .where('takenKey', '=', sql<Buffer>`any(${takenKeys}::bytea[])`)
    .execute();
  return rows.map(({ takenKey }) => takenKey);
}

/** False where a concurrent decision has taken it. */
export async function takeSlot(tx: ModerationDb, takenKey: Buffer): Promise<boolean> {
  const row = await tx
    .insertInto('moderation.takenSlots')
    .values({ takenKey })
    .onConflict((conflict) => conflict.column('takenKey').doNothing())
    .returning('takenKey')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where the slot was taken by a concurrent decision. */
export async function insertNotice(tx: ModerationDb, notice: NewNoticeRow): Promise<boolean> {
  const row = await tx
    .insertInto('moderation.notices')
    .values(notice)
    .onConflict((conflict) => conflict.column('slotKey').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where a concurrent decision has deleted it. */
export async function deleteNotice(tx: ModerationDb, id: bigint): Promise<boolean> {
  const row = await tx
    .deleteFrom('moderation.notices')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The decision was overturned: the sanction ends, and its points no longer count. */
export async function voidNotice(tx: ModerationDb, caseId: bigint, now: Date): Promise<void> {
  await tx
    .updateTable('moderation.notices')
    .set({ voidedAt: now })
    .where('caseId', '=', caseId)
    .where('voidedAt', 'is', null)
    .execute();
}
