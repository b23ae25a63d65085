import { sql, type Insertable } from 'kysely';
import type { ModerationTables } from '../../db/schema.ts';
import type { Day } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { CaseRow } from '../cases/case-row.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';

type NewNoticeRow = Insertable<ModerationTables['moderation.notices']>;

/** A sanction that is in force or has yet to start. */
export interface SanctionRow {
  readonly slotKey: Buffer;
  readonly sanction: 'limit' | 'suspend' | 'ban';
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** By probes of the index, one a key: for the 320 slots of 20 people the planner would otherwise read the whole table. */
export async function listSanctions(
  db: ModerationDb,
  slotKeys: readonly Buffer[],
  now: Date,
): Promise<SanctionRow[]> {
  return preparedSql<SanctionRow>`
    select notice.slot_key, notice.sanction, notice.starts_at, notice.ends_at
      from unnest(${slotKeys}::bytea[]) as asked (slot_key)
     cross join lateral (select * from moderation.notices where slot_key = asked.slot_key limit 1) as notice
     where notice.sanction <> 'none' and notice.voided_at is null and notice.ends_at > ${now}`.rows(db);
}

/** A notice with what its reader may know of its case. */
export interface NoticeRow {
  readonly id: bigint;
  readonly kind: string;
  readonly policy: string;
  readonly sanction: string;
  readonly endsAt: Date | null;
  readonly madeOn: Day;
  readonly subjectKey: Buffer;
  readonly subjectKind: string;
  readonly sealedItem: Buffer | null;
  readonly state: string;
  readonly appealUntil: Date | null;
  readonly resolution: string | null;
}

/** Newest first. */
export async function listNotices(
  db: ModerationDb,
  slotKeys: readonly Buffer[],
  now: Date,
): Promise<NoticeRow[]> {
  return db
    .selectFrom('moderation.notices as notice')
    .innerJoin('moderation.cases as case', 'case.id', 'notice.caseId')
    .select([
      'notice.id',
      'notice.kind',
      'notice.policy',
      'notice.sanction',
      'notice.endsAt',
      'notice.madeOn',
    ])
    .select(['case.subjectKey', 'case.subjectKind', 'case.sealedItem'])
    .select(['case.state', 'case.appealUntil', 'case.resolution'])
    .where('notice.slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .where('notice.expiresAt', '>', now)
    .orderBy('notice.madeOn', 'desc')
    .orderBy('notice.id', 'desc')
    .execute();
}

/** Newest first. */
export async function listHeads(db: ModerationDb, slotKeys: readonly Buffer[], now: Date) {
  return preparedSql<{ id: bigint; day: Day }>`
    select id, made_on as day from moderation.notices
     where slot_key = any(${slotKeys}::bytea[]) and expires_at > ${now}
     order by made_on desc, id desc`.rows(db);
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

export async function listTakenSlots(db: ModerationDb, slotKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('moderation.notices')
    .select('slotKey')
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .execute();
  return rows.map(({ slotKey }) => slotKey);
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

/**
 * Deletes one of these notices and returns its slot: the oldest whose sanction is over. Where all sanctions are in force,
 * the mildest that ends first: the others last longer. A concurrent decision takes another.
 */
export async function deleteLeastNeeded(
  tx: ModerationDb,
  slotKeys: readonly Buffer[],
  now: Date,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ slotKey: Buffer }>`
    delete from moderation.notices
     where id = (select id from moderation.notices
                  where slot_key = any(${slotKeys}::bytea[])
                  order by case when sanction = 'none' or voided_at is not null or ends_at <= ${now} then 0
                                else array_position('{limit,suspend,ban}', sanction) end,
                           case when voided_at is null and ends_at > ${now} then ends_at end,
                           made_on, id limit 1 for update skip locked)
    returning slot_key`.execute(tx);
  return rows[0]?.slotKey;
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

/** Points of the notices of earlier days that were not voided and have not expired. */
export async function sumPoints(
  db: ModerationDb,
  slotKeys: readonly Buffer[],
  { now, madeBefore }: { readonly now: Date; readonly madeBefore: Day },
): Promise<number> {
  const row = await db
    .selectFrom('moderation.notices')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('points'), sql<bigint>`0`).as('points'))
    .where('slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .where('voidedAt', 'is', null)
    .where('expiresAt', '>', now)
    .where('madeOn', '<', madeBefore)
    .executeTakeFirst();
  return Number(row?.points ?? 0n);
}
