import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import type { PolicyName, ReportReasonCode, SubjectKind } from '@unsaid/contract';
import { dayMs, startOfMinute } from '../../platform/clock.ts';
import { findHighestUsed } from '../../kernel/gallop.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { ItemCopy } from '../../kernel/subjects.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { recordAudit, type AuditEntry } from '../audit.ts';
import { sealAuthor } from '../authors.ts';
import type { CaseRow } from '../cases/case-row.ts';
import type { ModerationContext } from '../context.ts';
import { isUnchanged, sealChanges } from './item-copies.ts';
import * as queries from './reports.queries.ts';
import type { Findings, Origins } from './pause.ts';
import { isRepeated, planJoin, planLeaving, planOpening, trustIn, weightUnder } from './report-plan.ts';
import { isNewcomer } from './report-weight.ts';

/** After a moderator kept an item, the same reason brings it back only after this time. */
const keptMs = dayMs;

/** A report on an item that was read before: nothing slow happens while the case is locked. */
interface NewReport {
  readonly subject: { readonly key: Buffer; readonly kind: SubjectKind; readonly language: string };
  readonly item: Pick<ItemCopy, 'snapshot' | 'author'>;
  readonly findings: Findings;
  readonly reason: ReportReasonCode;
  readonly sealedDetails: Buffer | null;
  readonly reporter: {
    readonly key: Buffer;
    readonly person: Person;
    readonly days: number;
    readonly nth: number;
  };
  readonly origins: Origins | null;
}

/** One filing: the context of its transaction, what was read, and the log of what it does. */
interface Filing {
  readonly ctx: ModerationContext;
  readonly report: NewReport;
  readonly policy: PolicyName;
  /** The number of its slot among the reporter's. */
  readonly slot: number;
  readonly own: readonly queries.OwnReport[];
  readonly trust: number;
  readonly now: Date;
  record(caseId: bigint, entry: Pick<AuditEntry, 'action' | 'detail'>): void;
}

/**
 * Opens the case of an item or joins it; `isPaused` where the item is to be taken away until somebody decides. Null where
 * the report changes nothing. In one transaction; locks are taken in the order person, case, audit log, so that no two
 * reports wait for each other.
 */
export async function fileReport(ctx: ModerationContext, report: NewReport) {
  const { subject, reason, reporter } = report;
  const { db } = ctx;
  const nowMs = ctx.clock.now();
  await queries.lockReporter(db, reporter.person.mark('report-lock'));
  const undecided = await queries.lockUndecided(db, subject.key);
  const earlier = await queries.lockOnItem(db, subject.key, reporter.key);
  if (isRepeated(report, earlier)) return null;
  const slotKeys = await listSlotKeys(db, reporter.person);
  const own = await queries.listInSlots(db, slotKeys);
  // Cut to the minute, like the times of vents.
  const now = startOfMinute(nowMs);
  const audit: AuditEntry[] = [];
  const filing: Filing = {
    ctx,
    report,
    policy: policyOfReason[reason],
    slot: slotKeys.length + 1,
    own,
    trust: trustIn(reporter, own),
    now,
    record: (caseId, entry) => audit.push({ at: now, actor: 'reports', caseId, ...entry }),
  };
  const kept = undecided ? null : await findKept(filing, new Date(nowMs - keptMs));
  const isKnown = earlier.some(({ caseId }) => caseId === kept?.id);
  const filed =
    kept && !report.sealedDetails
      ? isKnown
        ? null
        : await joinKept(filing, kept.id)
      : await joinCase(filing, undecided ?? (await lockOrOpen(filing, kept !== null)));
  // Last: the log has one lock for all.
  for (const entry of audit) await recordAudit(db, entry);
  return filed;
}

/** The case of this item that a moderator closed within the day, for this reason, and nothing was written since. */
async function findKept({ ctx, report }: Filing, since: Date) {
  const { subject, item, reason } = report;
  const kept = await queries.findKept(ctx.db, subject.key, reason, since);
  return kept && (!kept.sealedItem || isUnchanged(ctx, subject.key, kept.sealedItem, item.snapshot))
    ? kept
    : null;
}

/**
 * Somebody looked at this item within the day, for this reason, and kept it. Another case would bring it back to the
 * queue as often as a crowd asks. The report is filed with the closed case: its reporter reads that the item stays,
 * and their accuracy does not change. Another reason opens a case at once. So do words that the reporter added, which
 * nobody has read; but that case pauses nothing.
 */
async function joinKept(filing: Filing, caseId: bigint) {
  await writeReport(filing, caseId, { weight: 0, outcome: 'unused' });
  return { caseId, isPaused: false };
}

/** A case that is closed meanwhile is no longer found, so this ends only with a case that is locked. */
async function lockOrOpen(filing: Filing, isFrozen: boolean): Promise<CaseRow> {
  for (;;) {
    const found = await queries.lockUndecided(filing.ctx.db, filing.report.subject.key);
    if (found) return found;
    await openReportedCase(filing, isFrozen);
  }
}

async function openReportedCase(filing: Filing, isFrozen: boolean): Promise<void> {
  const { ctx, report, policy, trust, now, record } = filing;
  const { subject, item } = report;
  const id = await queries.insertCase(ctx.db, {
    subjectKey: subject.key,
    subjectKind: subject.kind,
    source: 'report',
    policy,
    ...planOpening(policy, trust, now),
    language: subject.language,
    sealedItem: ctx.caseBox.seal('item', subject.key, item.snapshot),
    sealedAuthor: sealAuthor(ctx, subject.key, item.author),
    isFrozen,
    openedAt: now,
  });
  // The severity of the rule: the log is kept, and says nothing of the reporter.
  const { severity } = policies[policy];
  if (id !== null)
    record(id, { action: 'opened', detail: { kind: subject.kind, source: 'report', policy, severity } });
}

async function writeReport(
  { ctx: { db }, report, slot, own, now, record }: Filing,
  caseId: bigint,
  { weight, outcome }: { readonly weight: number; readonly outcome: 'pending' | 'unused' },
): Promise<bigint> {
  const { reporter, reason, sealedDetails } = report;
  const leaving = planLeaving(own);
  if (leaving) await queries.emptySlot(db, leaving.id);
  record(caseId, { action: 'reported', detail: { reason } });
  return queries.insertReport(db, {
    caseId,
    reporterKey: reporter.key,
    slotKey: await takeSlot(db, reporter.person, slot),
    reason,
    sealedDetails,
    weight,
    isNewcomer: outcome === 'pending' && isNewcomer(reporter),
    outcome,
    createdAt: now,
  });
}

async function joinCase(filing: Filing, found: CaseRow) {
  const { ctx, report, policy, own, trust, now, record } = filing;
  const { db } = ctx;
  const weight = weightUnder(policy, trust);
  const reportId = await writeReport(filing, found.id, { weight, outcome: 'pending' });
  const tallies = (await queries.tallyReports(db, found.id)).map(({ reason, ...tally }) => ({
    ...tally,
    policy: policyOfReason[reason],
  }));
  const { subject, item, origins, findings } = report;
  const sealedItem = found.sealedItem
    ? sealChanges(ctx, subject.key, found.sealedItem, item.snapshot)
    : ctx.caseBox.seal('item', subject.key, item.snapshot);
  const plan = planJoin({ found, policy, trust, tallies, origins, findings, own, sealedItem, now });
  if (plan.pausedUnder) {
    await queries.markTipping(db, reportId);
    record(found.id, { action: 'paused', detail: { policy: plan.pausedUnder } });
  }
  await queries.updateCase(db, found.id, plan.change);
  return { caseId: found.id, isPaused: plan.isPaused };
}

/**
 * The reports of a person are in the slots 1, 2, 3, … A slot is never used again, whatever is deleted: a second report in
 * it would be by the same person. The login of moderation cannot free one (docs/adr/0006). Returns all keys in their order.
 */
export async function listSlotKeys(db: ModerationDb, person: Person): Promise<Buffer[]> {
  const last = await findHighestUsed((numbers) =>
    queries.countTaken(db, person.takenKeys('report', numbers)),
  );
  return person.slotKeys(
    'report',
    Array.from({ length: last }, (_, n) => n + 1),
  );
}

/** Takes the slot with this number and returns its key. The reports of a person wait for each other (`lockReporter`). */
export async function takeSlot(tx: ModerationDb, person: Person, number: number): Promise<Buffer> {
  await queries.insertTaken(tx, person.takenKeys('report', [number])[0] as Buffer);
  return person.slotKeys('report', [number])[0] as Buffer;
}
