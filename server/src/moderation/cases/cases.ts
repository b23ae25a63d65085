import type { ParsedRequestOf } from '@unsaid/contract';
import type * as calls from '@unsaid/contract/moderation/console';
import type { CaseLine, CasePart, CaseView } from '@unsaid/contract/moderation/console';
import type { Subject } from '../../kernel/subjects.ts';
import { dayInIndia, hourMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { recordAudit, type AuditAction } from '../audit.ts';
import { findAuthor } from '../authors.ts';
import { addNote } from '../case-box.ts';
import type { ModerationContext, ModerationCore } from '../context.ts';
import { severeLeft, type Moderator } from '../moderators/moderator.ts';
import { readTerms } from '../notices/notice-slots.ts';
import { resolveSubject } from '../reports/item-reader.ts';
import { changeCase, commandCase, deciderOf, refusalError, requireCase } from './case-changes.ts';
import type { CaseRow } from './case-row.ts';
import * as queries from './cases.queries.ts';
import { severeFrom, type CaseEvent } from './cases.state.ts';
import { caseLine, caseView } from './cases.view.ts';
import { openCaseByStaff } from './staff-cases.ts';

/** The queue, and leases of cases. */

const pageSize = 50;
/** A skipped case goes to others first. */
const skipMs = hourMs;

export async function listCases(
  { db, clock }: ModerationContext,
  moderator: Moderator,
  show: queries.CaseFilter,
  page: number,
): Promise<{ cases: CaseLine[]; hasMore: boolean; waiting: number }> {
  const now = new Date(clock.now());
  const decider = deciderOf(moderator);
  const slice = { limit: pageSize + 1, offset: (page - 1) * pageSize, now };
  const [rows, waiting] = await Promise.all([
    queries.listCases(db, show, decider, slice),
    queries.countWaiting(db, decider),
  ]);
  const shown = rows.slice(0, pageSize);
  const reasons = await queries.countReasons(
    db,
    shown.map(({ id }) => id),
  );
  const at = { moderatorId: moderator.moderatorId, now: now.getTime() };
  return {
    cases: shown.map((row) => caseLine(row, reasons, at)),
    hasMore: rows.length > pageSize,
    waiting,
  };
}

export async function getCase(ctx: ModerationContext, moderator: Moderator, caseId: bigint) {
  return viewCase(ctx, moderator, await requireCase(ctx, caseId));
}

export async function openCase(
  ctx: ModerationContext,
  moderator: Moderator,
  { about, policy, source, note }: ParsedRequestOf<typeof calls.openCase>['body'],
): Promise<CaseView> {
  const subject = await resolveSubject(ctx, about, null);
  const caseId = await openCaseByStaff(ctx, { subject, policy, source, note, by: moderator.alias });
  return getCase(ctx, moderator, caseId);
}

/** Null if nothing waits for this moderator. */
export async function takeNextCase(ctx: ModerationContext, moderator: Moderator): Promise<CaseView | null> {
  const row = await inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const found = await lockNext(ctx, moderator, at);
    if (!found) return null;
    const change = await changeCase(ctx, found, { type: 'take', by: deciderOf(moderator) }, { at });
    if ('refusal' in change) throw refusalError(change.refusal);
    await recordCommand(ctx, moderator, 'taken', change.row, at);
    return change.row;
  });
  return row && viewCase(ctx, moderator, row);
}

/** Takes the case, or holds it for longer. */
export async function leaseCase(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  type: 'take' | 'extend',
): Promise<CaseView> {
  const event: CaseEvent = { type, by: deciderOf(moderator) };
  const row = await runCommand(ctx, moderator, caseId, event, type === 'take' ? 'taken' : 'extended');
  return viewCase(ctx, moderator, row);
}

export async function releaseCase(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  isSkip: boolean,
): Promise<void> {
  const event: CaseEvent = { type: 'release', by: deciderOf(moderator) };
  await runCommand(ctx, moderator, caseId, event, isSkip ? 'skipped' : 'released');
}

export async function escalateCase(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  { version, note }: ParsedRequestOf<typeof calls.escalateCase>['body'],
): Promise<void> {
  const event: CaseEvent = { type: 'escalate', by: deciderOf(moderator), version };
  await runCommand(ctx, moderator, caseId, event, 'escalated', note);
}

/** An item has to stay until its case is closed, if that is severe, also when its author has left. */
export const hasSevereCase = ({ db, subjects }: ModerationCore, subject: Subject): Promise<boolean> =>
  queries.hasOpenCase(db, subjects.keyOf(subject), severeFrom);

/** One command of a moderator on one case, with its audit entry. */
const runCommand = (
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  event: CaseEvent,
  action: AuditAction,
  note?: string,
): Promise<CaseRow> =>
  inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const { row } = await commandCase(ctx, caseId, event, {
      at,
      set: (before) => (note ? { sealedNote: addNote(ctx.caseBox, before, moderator.alias, note) } : {}),
    });
    await recordCommand(ctx, moderator, action, row, at);
    return row;
  });

const recordCommand = (
  { db }: ModerationContext,
  { alias }: Moderator,
  action: AuditAction,
  { id, severity }: CaseRow,
  at: Date,
): Promise<void> => recordAudit(db, { at, actor: alias, action, caseId: id, detail: { severity } });

async function lockNext(ctx: ModerationContext, moderator: Moderator, now: Date) {
  const { db } = ctx;
  const without = await queries.listSkipped(db, moderator.alias, new Date(now.getTime() - skipMs));
  const languages = await queries.findLanguages(db, moderator.moderatorId);
  // Who has read enough severe texts today could not read another: those go to colleagues.
  const maxSeverity = (await severeLeft(ctx, moderator)) > 0 ? 4 : severeFrom - 1;
  // What is urgent comes before a preferred language.
  for (const urgency of queries.urgencies)
    for (const wanted of [languages, null]) {
      const search = { urgency, maxSeverity, languages: wanted, without, now };
      const row = await queries.lockNext(db, deciderOf(moderator), search);
      if (row) return row;
    }
  return undefined;
}

async function viewCase(ctx: ModerationContext, moderator: Moderator, row: CaseRow): Promise<CaseView> {
  const { db, clock, caseBox } = ctx;
  const { moderatorId } = moderator;
  const [reasons, parts, author, notice] = await Promise.all([
    queries.countReasons(db, [row.id]),
    listParts(ctx, row),
    findAuthorFacts(ctx, moderator, row),
    queries.findNotice(db, row.id),
  ]);
  const line = caseLine(row, reasons, { moderatorId, now: clock.now() });
  const sanction = (notice && caseBox.open('notice', notice.slotKey, notice.sealed)?.sanction) ?? 'none';
  const note = row.sealedNote && caseBox.open('note', row.subjectKey, row.sealedNote);
  return caseView(row, line, { parts, author, sanction, note }, moderatorId);
}

async function listParts({ db }: ModerationContext, row: CaseRow): Promise<CasePart[]> {
  const hasDetails = await queries.hasDetails(db, row.id);
  return [
    ...(row.sealedItem ? (['item'] as const) : []),
    ...(row.subjectKind === 'comment' ? (['context'] as const) : []),
    ...(hasDetails ? (['details'] as const) : []),
    ...(row.sealedAppeal ? (['appeal'] as const) : []),
  ];
}

/**
 * Only for whoever holds the case, which is in the audit log: cases of one author change together, when the author
 * leaves or another decision is made. A moderator who reads all of them again and again would see which.
 */
async function findAuthorFacts(ctx: ModerationContext, { moderatorId }: Moderator, row: CaseRow) {
  const now = ctx.clock.now();
  const isHeld = row.leasedBy === moderatorId && row.leasedUntil !== null && row.leasedUntil.getTime() > now;
  if (!isHeld) return null;
  const author = await findAuthor(ctx, row);
  if (!author) return { points: 0, isGone: row.sealedAuthor !== null };
  // A decision about another item does not change a case that is open: that would tell that both have one author.
  const openedOn = dayInIndia(row.openedAt.getTime());
  const points = (await readTerms(ctx, author.noticeSlots(), now))
    .filter(({ isValid, madeOn }) => isValid && madeOn < openedOn)
    .reduce((sum, notice) => sum + notice.points, 0);
  return { points, isGone: false };
}
