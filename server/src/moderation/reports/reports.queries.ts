import type { ReportReasonCode } from '@unsaid/contract';
import { sql, type Insertable } from 'kysely';
import type { ModerationTables } from '../../db/schema.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { CaseColumns, CaseRow } from '../cases/case-row.ts';

type Cases = ModerationTables['moderation.cases'];
type Reports = ModerationTables['moderation.reports'];

/** Part of the text: a generic plan could not tell from parameters that the partial index serves. */
const isUndecided = sql<boolean>`state in ('open', 'escalated')`;

/** A case that waits for its decision. */
export async function lockUndecided(tx: ModerationDb, subjectKey: Buffer): Promise<CaseRow | undefined> {
  const row = await tx
    .selectFrom('moderation.cases')
    .selectAll()
    .where('subjectKey', '=', subjectKey)
    .where(isUndecided)
    .forUpdate()
    .executeTakeFirst();
  return row as CaseRow | undefined;
}

/** Null where a concurrent report has opened one. */
export async function insertCase(tx: ModerationDb, row: Insertable<Cases>): Promise<bigint | null> {
  const made = await tx
    .insertInto('moderation.cases')
    .values(row)
    .onConflict((conflict) => conflict.column('subjectKey').where(isUndecided).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? null;
}

export async function updateCase(tx: ModerationDb, id: bigint, change: CaseColumns): Promise<void> {
  await tx.updateTable('moderation.cases').set(change).where('id', '=', id).execute();
}

/** The newest case of an item that was closed with "keep" since then, and has a report for this reason. */
export async function findKept(tx: ModerationDb, subjectKey: Buffer, reason: ReportReasonCode, since: Date) {
  return tx
    .selectFrom('moderation.cases as case')
    .select(['case.id', 'case.sealedItem'])
    .where('case.subjectKey', '=', subjectKey)
    .where('case.outcome', '=', 'keep')
    .where('case.decidedAt', '>', since)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('moderation.reports as report')
          .select('report.id')
          .whereRef('report.caseId', '=', 'case.id')
          .where('report.reason', '=', reason),
      ),
    )
    .orderBy('case.decidedAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

const selectOnItem = (db: ModerationDb, subjectKey: Buffer, reporterKey: Buffer) =>
  db
    .selectFrom('moderation.cases as case')
    .innerJoin('moderation.reports as report', 'report.caseId', 'case.id')
    .select([
      'case.id as caseId',
      'case.state',
      'case.outcome as caseOutcome',
      'report.reason',
      'report.outcome',
    ])
    .where('case.subjectKey', '=', subjectKey)
    .where('report.reporterKey', '=', reporterKey);

/** A report of the same person on the same item, with its case. */
export type ReportOnItem = Awaited<ReturnType<typeof listOnItem>>[number];

/** This person's reports on an item, with the states of their cases. */
export async function listOnItem(db: ModerationDb, subjectKey: Buffer, reporterKey: Buffer) {
  return selectOnItem(db, subjectKey, reporterKey).execute();
}

/** The same with a lock, so that a repeated report is a write as well, and waits for the standby like the first. */
export async function lockOnItem(tx: ModerationDb, subjectKey: Buffer, reporterKey: Buffer) {
  return selectOnItem(tx, subjectKey, reporterKey).forKeyShare('case').execute();
}

/**
 * Serializes the reports of one person. The number has no other use: every login of the database can read pg_locks.
 */
export async function lockReporter(tx: ModerationDb, lock: Buffer): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lock.readBigInt64BE()}::bigint)`.execute(tx);
}

export async function countTaken(db: ModerationDb, takenKeys: readonly Buffer[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from moderation.taken_slots where taken_key = any(${takenKeys}::bytea[])`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export async function insertTaken(tx: ModerationDb, takenKey: Buffer): Promise<void> {
  await tx.insertInto('moderation.takenSlots').values({ takenKey }).execute();
}

/** The reports of one person, newest first. */
const selectInSlots = (db: ModerationDb, slotKeys: readonly Buffer[]) =>
  db
    .selectFrom('moderation.reports as report')
    .innerJoin('moderation.cases as case', 'case.id', 'report.caseId')
    .select(['report.id', 'report.reason', 'report.outcome', 'report.createdAt'])
    .select(['case.subjectKind', 'case.outcome as caseOutcome', 'case.resolution'])
    .where('report.slotKey', '=', sql<Buffer>`any(${slotKeys}::bytea[])`)
    .orderBy('report.createdAt', 'desc')
    .orderBy('report.id', 'desc');

export async function listInSlots(db: ModerationDb, slotKeys: readonly Buffer[]) {
  return selectInSlots(db, slotKeys).select('report.isTipping').execute();
}

/** With what the reporter wrote, encrypted. */
export async function listForExport(db: ModerationDb, slotKeys: readonly Buffer[]) {
  return selectInSlots(db, slotKeys)
    .select(['report.sealedDetails', 'report.reporterKey', 'case.subjectKey'])
    .execute();
}

export type OwnReport = Awaited<ReturnType<typeof listInSlots>>[number];

export async function emptySlot(tx: ModerationDb, reportId: bigint): Promise<void> {
  await tx.updateTable('moderation.reports').set({ slotKey: null }).where('id', '=', reportId).execute();
}

export async function insertReport(tx: ModerationDb, row: Insertable<Reports>): Promise<bigint> {
  const { id } = await tx
    .insertInto('moderation.reports')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function markTipping(tx: ModerationDb, reportId: bigint): Promise<void> {
  await tx.updateTable('moderation.reports').set({ isTipping: true }).where('id', '=', reportId).execute();
}

/** The reports of a case, summed up by reason and by age of the account. */
export async function tallyReports(tx: ModerationDb, caseId: bigint) {
  const { rows } = await sql<{
    reason: ReportReasonCode;
    isNewcomer: boolean;
    reporters: number;
    weight: number;
  }>`
    select reason, is_newcomer, count(*)::int as reporters, sum(weight)::float8 as weight
      from moderation.reports where case_id = ${caseId} group by reason, is_newcomer`.execute(tx);
  return rows;
}
