import type { PolicyName, ReportReasonCode } from '@unsaid/contract';
import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import { dayMs, hourMs, startOfMinute } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { recordAudit, type AuditEntry } from '../audit.ts';
import { toCase, toColumns, type CaseColumns, type CaseRow } from '../cases/case-row.ts';
import { isUndecided, transition } from '../cases/cases.state.ts';
import * as queries from './intake.queries.ts';
import { looksCoordinated, reachesPause, type Findings, type Origins, type Tally } from './pause.ts';
import { freeSlot, leastNeeded } from './report-slots.ts';
import { isNewcomer, weightOf } from './weight.ts';

/** After a moderator kept an item, the same reason brings it back only after this time. */
const keptMs = dayMs;

/**
 * The most that a report without weight asks for. Somebody looks within a day, and no series of false alarms goes ahead
 * of the others.
 */
const untrusted = { severity: 3, dueHours: 24 } as const;

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
    readonly slotKeys: readonly Buffer[];
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

/** A report of the same person on the same item, with its case. */
interface EarlierReport {
  readonly state: string;
  readonly reason: string;
  readonly outcome: string;
  readonly caseOutcome: string | null;
}

/**
 * Filed with a kept case: no moderator had it when they decided. Those that a moderator had are disagreed with. Times
 * do not tell: reports have the minute alone.
 */
const isAfterDecision = ({ outcome, caseOutcome }: EarlierReport) =>
  caseOutcome === 'keep' && outcome === 'unused';

/**
 * True where a report of this person changes nothing: they have reported the item, and it still waits; or they gave the
 * same reason before a decision, and the item cannot have changed. A profile can.
 */
export function isRepeated(
  { subject, reason }: Pick<NewReport, 'subject' | 'reason'>,
  earlier: readonly EarlierReport[],
): boolean {
  return earlier.some(
    (report) =>
      isUndecided(report.state) ||
      (subject.kind !== 'profile' && report.reason === reason && !isAfterDecision(report)),
  );
}

/** Accusations first among equals: "worried" asks for care and restricts nothing. */
const rankOf = (policy: PolicyName) => policies[policy].severity * 2 + (policies[policy].pauseAt ? 1 : 0);

/** What a report under a more severe rule changes: severity only rises, and the case is only due earlier. */
function raiseTo(
  policy: PolicyName,
  found: CaseRow,
  now: Date,
): Partial<Pick<CaseRow, 'policy' | 'severity' | 'dueAt' | 'version'>> {
  const { severity, dueHours } = policies[policy];
  const isHigher = rankOf(policy) > rankOf(found.policy);
  // Lower than its rule: opened by somebody whose reports have no weight.
  if (!isHigher && severity <= found.severity) return {};
  return {
    // The rule of an order or of staff stays.
    policy: isHigher && found.source === 'report' ? policy : found.policy,
    severity: Math.max(found.severity, severity),
    dueAt: new Date(Math.min(found.dueAt.getTime(), now.getTime() + dueHours * hourMs)),
    version: found.version + 1,
  };
}

/** The columns of a pause. Null where the state does not allow one. */
function pauseOf(found: CaseRow, now: Date): CaseColumns | null {
  const before = toCase(found);
  const result = transition(before, { type: 'pause' }, now.getTime());
  return 'refusal' in result ? null : toColumns(before, result.next, result.effects, { at: now, by: null });
}

/**
 * Opens the case of an item or joins it. Null where the report changes nothing. In one transaction; locks are taken in
 * the order person, case, audit log, so that no two reports wait for each other.
 */
export async function fileReport(tx: ModerationDb, report: NewReport, nowMs: number): Promise<Filed | null> {
  // Cut to the minute, like the times of vents.
  const now = startOfMinute(nowMs);
  const { subject, reason, reporter } = report;
  const policy = policyOfReason[reason];

  await queries.lockReporter(tx, reporter.slotKeys);
  const undecided = await queries.lockUndecided(tx, subject.key);
  const earlier = await queries.lockOnItem(tx, subject.key, reporter.key);
  if (isRepeated(report, earlier)) return null;
  const own = await queries.listInSlots(tx, reporter.slotKeys);
  const count = (outcome: string) => own.filter((one) => one.outcome === outcome).length;
  const history = { days: reporter.days, agreed: count('agreed'), disagreed: count('disagreed') };
  const trust = weightOf(history, reporter.nth);

  const audit: AuditEntry[] = [];
  const record = (caseId: bigint, entry: Pick<AuditEntry, 'action' | 'detail'>) =>
    audit.push({ at: now, actor: 'reports', caseId, ...entry });

  async function openCase(isFrozen: boolean): Promise<void> {
    const { severity } = policies[policy];
    const asked = trust > 0 || severity <= untrusted.severity ? policies[policy] : untrusted;
    const id = await queries.insertCase(tx, {
      subjectKey: subject.key,
      subjectKind: subject.kind,
      source: 'report',
      policy,
      severity: asked.severity,
      language: subject.language,
      sealedItem: report.sealedItem(null),
      sealedAuthor: report.sealedAuthor(),
      isFrozen,
      openedAt: now,
      dueAt: new Date(now.getTime() + asked.dueHours * hourMs),
    });
    // The severity of the rule: the log is kept, and says nothing of the reporter.
    if (id !== null)
      record(id, { action: 'opened', detail: { kind: subject.kind, source: 'report', policy, severity } });
  }

  /** A case that is closed meanwhile is no longer found, so this ends only with a case that is locked. */
  async function lockOrOpen(isFrozen: boolean): Promise<CaseRow> {
    for (;;) {
      const found = await queries.lockUndecided(tx, subject.key);
      if (found) return found;
      await openCase(isFrozen);
    }
  }

  async function insert(
    caseId: bigint,
    { weight, outcome }: { readonly weight: number; readonly outcome: 'pending' | 'unused' },
  ): Promise<bigint> {
    let slotKey = freeSlot(reporter.slotKeys, own);
    const leaving = slotKey ? undefined : leastNeeded(own);
    if (leaving) {
      await queries.emptySlot(tx, leaving.id);
      ({ slotKey } = leaving);
    }
    record(caseId, { action: 'reported', detail: { reason } });
    return queries.insertReport(tx, {
      caseId,
      reporterKey: reporter.key,
      slotKey,
      reason,
      sealedDetails: report.sealedDetails,
      weight,
      isNewcomer: outcome === 'pending' && isNewcomer(reporter),
      outcome,
      createdAt: now,
    });
  }

  async function join(found: CaseRow): Promise<Filed> {
    // Care for somebody is no accusation, and has no weight.
    const weight = policies[policy].pauseAt ? trust : 0;
    const reportId = await insert(found.id, { weight, outcome: 'pending' });
    const tallies: Tally[] = (await queries.tallyReports(tx, found.id)).map(({ reason: of, ...tally }) => ({
      ...tally,
      policy: policyOfReason[of],
    }));
    const isFrozen = found.isFrozen || looksCoordinated(tallies, report.origins);
    const raised = trust > 0 ? raiseTo(policy, found, now) : {};
    const hasTippedAnother = own.some((one) => one.isTipping && one.outcome === 'pending');
    const paused =
      !isFrozen && !hasTippedAnother && weight > 0 && reachesPause(tallies, report.findings)
        ? pauseOf({ ...found, ...raised, isFrozen }, now)
        : null;
    if (paused) {
      await queries.markTipping(tx, reportId);
      record(found.id, { action: 'paused', detail: { policy: raised.policy ?? found.policy } });
    }
    const sealedItem = report.sealedItem(found.sealedItem);
    // The pause is of the profile, not of the words that were there when it began.
    const isWrittenInPause = sealedItem !== null && found.pausedAt !== null && weight > 0;
    await queries.updateCase(tx, found.id, {
      reporters: found.reporters + 1,
      isFrozen,
      // With another version: who decides has read these words.
      ...(sealedItem ? { sealedItem, version: found.version + 1 } : {}),
      ...(isWrittenInPause ? { pendingEffect: 'hide' } : {}),
      ...raised,
      ...paused,
    });
    return { caseId: found.id, isPaused: paused !== null || isWrittenInPause };
  }

  async function findKept(): Promise<{ readonly id: bigint } | null> {
    const kept = await queries.findKept(tx, subject.key, reason, new Date(nowMs - keptMs));
    return kept && (!kept.sealedItem || report.isUnchangedSince(kept.sealedItem)) ? kept : null;
  }

  /**
   * Somebody looked at this item within the day, for this reason, and kept it. Another case would bring it back to the
   * queue as often as a crowd asks. The report is filed with the closed case: its reporter reads that the item stays,
   * and their accuracy does not change. Another reason opens a case at once. So do words that the reporter added, which
   * nobody has read; but that case pauses nothing.
   */
  async function joinKept(kept: { readonly id: bigint }): Promise<Filed | null> {
    if (earlier.some(({ caseId }) => caseId === kept.id)) return null;
    await insert(kept.id, { weight: 0, outcome: 'unused' });
    return { caseId: kept.id, isPaused: false };
  }

  const kept = undecided ? null : await findKept();
  const filed =
    kept && !report.sealedDetails
      ? await joinKept(kept)
      : await join(undecided ?? (await lockOrOpen(kept !== null)));
  // Last: the log has one lock for all.
  for (const entry of audit) await recordAudit(tx, entry);
  return filed;
}
