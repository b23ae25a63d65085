import type { ReportReasonCode } from '@unsaid/contract';
import type { caseFilters } from '@unsaid/contract/moderation/console';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { dayMs } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { CaseColumns, CaseRow } from './case-row.ts';
import type { Decider } from './cases.state.ts';

export type CaseFilter = (typeof caseFilters)[number];

export async function findCase(db: ModerationDb, caseId: bigint): Promise<CaseRow | undefined> {
  const row = await db.selectFrom('moderation.cases').selectAll().where('id', '=', caseId).executeTakeFirst();
  return row as CaseRow | undefined;
}

export async function lockCase(tx: ModerationDb, caseId: bigint): Promise<CaseRow | undefined> {
  const row = await tx
    .selectFrom('moderation.cases')
    .selectAll()
    .where('id', '=', caseId)
    .forUpdate()
    .executeTakeFirst();
  return row as CaseRow | undefined;
}

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

export async function updateCase(tx: ModerationDb, caseId: bigint, columns: CaseColumns): Promise<CaseRow> {
  const row = await tx
    .updateTable('moderation.cases')
    .set(columns)
    .where('id', '=', caseId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as CaseRow;
}

/** Part of each statement's text, so that its plan can use the partial index. */
const isWaiting = sql<SqlBool>`state in ('open', 'escalated', 'appealed')`;
/** What this moderator may take: escalated cases are for leads, appeals not for whoever decided. */
const mayTake = ({ id, isLead }: Decider) =>
  sql<SqlBool>`(state = 'open' or (state = 'escalated' and ${isLead})
                or (state = 'appealed' and decided_by <> ${id}))`;

/**
 * The order of the queue: first what is overdue for a day, so that a series of false alarms delays nothing for good. Each
 * class by the time it is due, from an index.
 */
export const urgencies = ['overdue', 'severe', 'other'] as const;
type Urgency = (typeof urgencies)[number];

function hasUrgency(urgency: Urgency, now: Date) {
  const overdueBefore = new Date(now.getTime() - dayMs);
  if (urgency === 'overdue') return sql<SqlBool>`due_at < ${overdueBefore}`;
  return sql<SqlBool>`(severity = 4) = ${urgency === 'severe'} and due_at >= ${overdueBefore}`;
}

/**
 * The next case of this urgency that nobody holds, locked; others that look for one pass over it. Without languages, in
 * any. `maxSeverity`: not those above it.
 */
export async function lockNext(
  tx: ModerationDb,
  decider: Decider,
  search: {
    readonly urgency: Urgency;
    readonly maxSeverity: number;
    readonly languages: readonly string[] | null;
    readonly without: readonly bigint[];
    readonly now: Date;
  },
): Promise<CaseRow | undefined> {
  const row = await tx
    .selectFrom('moderation.cases')
    .selectAll()
    .where(isWaiting)
    .where(hasUrgency(search.urgency, search.now))
    .where('severity', '<=', search.maxSeverity)
    .where(mayTake(decider))
    .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<=', search.now)]))
    .where(sql<SqlBool>`(${search.languages}::text[] is null or language = any(${search.languages}::text[]))`)
    .where(sql<SqlBool>`id <> all(${search.without}::bigint[])`)
    .orderBy('dueAt')
    // Of those due at the same moment the older one, not the one that lies first in the table.
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row as CaseRow | undefined;
}

export async function findLanguages(db: ModerationDb, moderatorId: number): Promise<string[]> {
  const row = await db
    .selectFrom('moderation.moderators')
    .select('languages')
    .where('id', '=', moderatorId)
    .executeTakeFirst();
  return row?.languages ?? [];
}

/** The cases that a moderator skipped, from the audit log. */
export async function listSkipped(db: ModerationDb, alias: string, since: Date): Promise<bigint[]> {
  const rows = await db
    .selectFrom('moderation.audit')
    .select('caseId')
    .distinct()
    .where('actor', '=', alias)
    .where('at', '>', since)
    .where('action', '=', 'skipped')
    .where('caseId', 'is not', null)
    .execute();
  return rows.flatMap(({ caseId }) => (caseId === null ? [] : [caseId]));
}

/** In the order of the queue; closed and decided ones newest first. */
export async function listCases(
  db: ModerationDb,
  show: CaseFilter,
  decider: Decider,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
): Promise<CaseRow[]> {
  const all = db.selectFrom('moderation.cases').selectAll().limit(limit).offset(offset);
  const byDue = all.where(isWaiting).orderBy('dueAt').orderBy('id');
  const query = {
    waiting: () =>
      selectWaiting(db, sql`${mayTake(decider)} and state <> 'appealed'`, { limit, offset, now }),
    mine: () => byDue.where('leasedBy', '=', decider.id).where('leasedUntil', '>', now),
    appeals: () => byDue.where('state', '=', 'appealed'),
    orders: () =>
      all.where('source', '=', 'order').where('state', '<>', 'closed').orderBy('dueAt').orderBy('id'),
    closed: () =>
      all
        .where(sql<SqlBool>`state in ('decided', 'closed')`)
        .orderBy('decidedAt', 'desc')
        .orderBy('id', 'desc'),
  }[show]();
  return (await query.execute()) as CaseRow[];
}

/** Reads each class only as far as the page reaches. A sort by class would read all that wait. */
function selectWaiting(
  db: ModerationDb,
  condition: RawBuilder<unknown>,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
) {
  const classes = urgencies.map(
    (urgency, place) => sql`
      (select ${place}::int as urgency, * from moderation.cases
        where ${isWaiting} and ${hasUrgency(urgency, now)} and ${condition}
        order by due_at, id limit ${offset + limit})`,
  );
  return {
    async execute(): Promise<unknown[]> {
      const { rows } = await sql`
        select * from (${sql.join(classes, sql` union all `)}) as waiting
         order by urgency, due_at, id limit ${limit} offset ${offset}`.execute(db);
      return rows;
    },
  };
}

/** All that wait, in the order of the queue. */
export async function listWaiting(db: ModerationDb, limit: number, now: Date): Promise<CaseRow[]> {
  return (await selectWaiting(db, sql`true`, { limit, offset: 0, now }).execute()) as CaseRow[];
}

export async function countWaiting(db: ModerationDb, decider: Decider): Promise<number> {
  const row = await db
    .selectFrom('moderation.cases')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(isWaiting)
    .where(mayTake(decider))
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface ReasonCount {
  readonly caseId: bigint;
  readonly reason: ReportReasonCode;
  readonly count: number;
}

export async function countReasons(db: ModerationDb, caseIds: readonly bigint[]): Promise<ReasonCount[]> {
  if (caseIds.length === 0) return [];
  const rows = await db
    .selectFrom('moderation.reports')
    .select(['caseId', 'reason', sql<number>`count(*)::int`.as('count')])
    .where('caseId', '=', sql<bigint>`any(${caseIds}::bigint[])`)
    .groupBy(['caseId', 'reason'])
    .execute();
  return rows as ReasonCount[];
}

export async function listDetails(db: ModerationDb, caseId: bigint) {
  const rows = await db
    .selectFrom('moderation.reports')
    .select(['reason', 'sealedDetails'])
    .where('caseId', '=', caseId)
    .where('sealedDetails', 'is not', null)
    .execute();
  return rows as { reason: ReportReasonCode; sealedDetails: Buffer }[];
}

export async function hasDetails(db: ModerationDb, caseId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('moderation.reports')
    .select('id')
    .where('caseId', '=', caseId)
    .where('sealedDetails', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What counted towards a pause says how old the reporter's account is. It is not needed any more. */
export async function updateReports(
  tx: ModerationDb,
  caseId: bigint,
  outcome: 'agreed' | 'disagreed' | 'unused',
): Promise<void> {
  await tx
    .updateTable('moderation.reports')
    .set({ outcome, weight: 0, isNewcomer: false })
    .where('caseId', '=', caseId)
    .execute();
}

/** Undefined where the notice is void or gone. */
export async function findNotice(db: ModerationDb, caseId: bigint) {
  return db
    .selectFrom('moderation.notices')
    .select(['slotKey', 'sealed'])
    .where('caseId', '=', caseId)
    .where('voidedAt', 'is', null)
    .executeTakeFirst();
}

export async function lockModerator(tx: ModerationDb, moderatorId: number): Promise<void> {
  await tx
    .selectFrom('moderation.moderators')
    .select('id')
    .where('id', '=', moderatorId)
    .forUpdate()
    .execute();
}
