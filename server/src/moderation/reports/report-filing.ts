import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import type { PolicyName, ReportReasonCode } from '@unsaid/contract';
import { dayMs, startOfMinute } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { recordAudit, type AuditEntry } from '../audit.ts';
import type { CaseRow } from '../cases/case-row.ts';
import type { Person } from '../../kernel/person-keys.ts';
import * as queries from './reports.queries.ts';
import type { Findings, Origins } from './pause.ts';
import { isRepeated, planJoin, planLeaving, planOpening, trustIn, weightUnder } from './report-plan.ts';
import { listSlotKeys, takeSlot } from './report-slots.ts';
import { isNewcomer } from './report-weight.ts';

/** After a moderator kept an item, the same reason brings it back only after this time. */
const keptMs = dayMs;

/** A report on an item that was read and encrypted before: nothing slow happens while the case is locked. */
export interface NewReport {
  readonly subject: {
    readonly key: Buffer;
    readonly kind: 'vent' | 'comment' | 'profile';
    readonly language: string;
  };
  /** Called only where they are needed. */
  sealedItem(earlier: Buffer | null): Buffer | null;
  sealedAuthor(): Buffer;
  /** Whether the item still reads as in this copy. */
  isUnchangedSince(sealedItem: Buffer): boolean;
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

export interface Filed {
  readonly caseId: bigint;
  /** The item is to be taken away until somebody decides. */
  readonly isPaused: boolean;
}

/** One filing: its transaction, what was read, and the log of what it does. */
interface Filing {
  readonly tx: ModerationDb;
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
 * Opens the case of an item or joins it. Null where the report changes nothing. In one transaction; locks are taken in
 * the order person, case, audit log, so that no two reports wait for each other.
 */
export async function fileReport(tx: ModerationDb, report: NewReport, nowMs: number): Promise<Filed | null> {
  const { subject, reason, reporter } = report;
  await queries.lockReporter(tx, reporter.person.mark('report-lock'));
  const undecided = await queries.lockUndecided(tx, subject.key);
  const earlier = await queries.lockOnItem(tx, subject.key, reporter.key);
  if (isRepeated(report, earlier)) return null;
  const slotKeys = await listSlotKeys(tx, reporter.person);
  const own = await queries.listInSlots(tx, slotKeys);
  // Cut to the minute, like the times of vents.
  const now = startOfMinute(nowMs);
  const audit: AuditEntry[] = [];
  const filing: Filing = {
    tx,
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
      : await join(filing, undecided ?? (await lockOrOpen(filing, kept !== null)));
  // Last: the log has one lock for all.
  for (const entry of audit) await recordAudit(tx, entry);
  return filed;
}

/** The case of this item that a moderator closed within the day, for this reason, and nothing was written since. */
async function findKept({ tx, report }: Filing, since: Date): Promise<{ readonly id: bigint } | null> {
  const kept = await queries.findKept(tx, report.subject.key, report.reason, since);
  return kept && (!kept.sealedItem || report.isUnchangedSince(kept.sealedItem)) ? kept : null;
}

/**
 * Somebody looked at this item within the day, for this reason, and kept it. Another case would bring it back to the
 * queue as often as a crowd asks. The report is filed with the closed case: its reporter reads that the item stays,
 * and their accuracy does not change. Another reason opens a case at once. So do words that the reporter added, which
 * nobody has read; but that case pauses nothing.
 */
async function joinKept(filing: Filing, caseId: bigint): Promise<Filed> {
  await insert(filing, caseId, { weight: 0, outcome: 'unused' });
  return { caseId, isPaused: false };
}

/** A case that is closed meanwhile is no longer found, so this ends only with a case that is locked. */
async function lockOrOpen(filing: Filing, isFrozen: boolean): Promise<CaseRow> {
  for (;;) {
    const found = await queries.lockUndecided(filing.tx, filing.report.subject.key);
    if (found) return found;
    await openCase(filing, isFrozen);
  }
}

async function openCase(filing: Filing, isFrozen: boolean): Promise<void> {
  const { tx, report, policy, trust, now, record } = filing;
  const { subject } = report;
  const id = await queries.insertCase(tx, {
    subjectKey: subject.key,
    subjectKind: subject.kind,
    source: 'report',
    policy,
    ...planOpening(policy, trust, now),
    language: subject.language,
    sealedItem: report.sealedItem(null),
    sealedAuthor: report.sealedAuthor(),
    isFrozen,
    openedAt: now,
  });
  // The severity of the rule: the log is kept, and says nothing of the reporter.
  const { severity } = policies[policy];
  if (id !== null)
    record(id, { action: 'opened', detail: { kind: subject.kind, source: 'report', policy, severity } });
}

async function insert(
  { tx, report, slot, own, now, record }: Filing,
  caseId: bigint,
  { weight, outcome }: { readonly weight: number; readonly outcome: 'pending' | 'unused' },
): Promise<bigint> {
  const { reporter, reason, sealedDetails } = report;
  const leaving = planLeaving(own);
  if (leaving) await queries.emptySlot(tx, leaving.id);
  record(caseId, { action: 'reported', detail: { reason } });
  return queries.insertReport(tx, {
    caseId,
    reporterKey: reporter.key,
    slotKey: await takeSlot(tx, reporter.person, slot),
    reason,
    sealedDetails,
    weight,
    isNewcomer: outcome === 'pending' && isNewcomer(reporter),
    outcome,
    createdAt: now,
  });
}

async function join(filing: Filing, found: CaseRow): Promise<Filed> {
  const { tx, report, policy, own, trust, now, record } = filing;
  const weight = weightUnder(policy, trust);
  const reportId = await insert(filing, found.id, { weight, outcome: 'pending' });
  const tallies = (await queries.tallyReports(tx, found.id)).map(({ reason, ...tally }) => ({
    ...tally,
    policy: policyOfReason[reason],
  }));
  const { origins, findings } = report;
  const sealedItem = report.sealedItem(found.sealedItem);
  const plan = planJoin({ found, policy, trust, tallies, origins, findings, own, sealedItem, now });
  if (plan.pausedUnder) {
    await queries.markTipping(tx, reportId);
    record(found.id, { action: 'paused', detail: { policy: plan.pausedUnder } });
  }
  await queries.updateCase(tx, found.id, plan.change);
  return { caseId: found.id, isPaused: plan.isPaused };
}
