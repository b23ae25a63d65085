import type { PolicyName, ReportReasonCode } from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import { hourMs } from '../../platform/clock.ts';
import { toCase, toColumns, type CaseColumns, type CaseRow } from '../cases/case-row.ts';
import { isUndecided, transition } from '../cases/cases.state.ts';
import type { OwnReport, ReportOnItem } from './reports.queries.ts';
import { looksCoordinated, reachesPause, type Findings, type Origins, type Tally } from './pause.ts';
import { weightOf } from './report-weight.ts';

/** What a report does, as pure functions of what is known. report-filing.ts writes it. */

/**
 * The most that a report without weight asks for. Somebody looks within a day, and no series of false alarms goes ahead
 * of the others.
 */
const untrusted = { severity: 3, dueHours: 24 } as const;

/**
 * Filed with a kept case: no moderator had it when they decided. Those that a moderator had are disagreed with. Times
 * do not tell: reports have the minute alone.
 */
const isAfterDecision = ({ outcome, caseOutcome }: ReportOnItem) =>
  caseOutcome === 'keep' && outcome === 'unused';

/**
 * True where a report of this person changes nothing: they have reported the item, and it still waits; or they gave the
 * same reason before a decision, and the item cannot have changed. A profile can.
 */
export function isRepeated(
  { subject, reason }: { readonly subject: { readonly kind: string }; readonly reason: ReportReasonCode },
  earlier: readonly ReportOnItem[],
): boolean {
  return earlier.some(
    (report) =>
      isUndecided(report.state) ||
      (subject.kind !== 'profile' && report.reason === reason && !isAfterDecision(report)),
  );
}

/** How much the reporter's word counts, by their account and their earlier reports. */
export function trustIn(
  { days, nth }: { readonly days: number; readonly nth: number },
  own: readonly Pick<OwnReport, 'outcome'>[],
): number {
  const count = (outcome: string) => own.filter((one) => one.outcome === outcome).length;
  return weightOf({ days, agreed: count('agreed'), disagreed: count('disagreed') }, nth);
}

/** How soon somebody looks at a new case. */
export function planOpening(policy: PolicyName, trust: number, now: Date) {
  const { severity, dueHours } =
    trust > 0 || policies[policy].severity <= untrusted.severity ? policies[policy] : untrusted;
  return { severity, dueAt: new Date(now.getTime() + dueHours * hourMs) };
}

/** More are not counted for a person. */
const maxOwn = 40;

/** The report that gives way to a new one: the oldest decided one, else the oldest that tipped no pause. */
export function planLeaving(newestFirst: readonly OwnReport[]): OwnReport | undefined {
  if (newestFirst.length < maxOwn) return undefined;
  const oldestFirst = newestFirst.toReversed();
  return (
    oldestFirst.find(({ outcome }) => outcome !== 'pending') ??
    oldestFirst.find(({ isTipping }) => !isTipping) ??
    oldestFirst[0]
  );
}

/** Care for somebody is no accusation, and has no weight. */
export const weightUnder = (policy: PolicyName, trust: number) => (policies[policy].pauseAt ? trust : 0);

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

export interface JoinFacts {
  readonly found: CaseRow;
  readonly policy: PolicyName;
  readonly trust: number;
  /** The reports on the case, this one included. */
  readonly tallies: readonly Tally[];
  readonly origins: Origins | null;
  readonly findings: Findings;
  readonly own: readonly Pick<OwnReport, 'isTipping' | 'outcome'>[];
  /** A copy of the item with new words, if it has any. */
  readonly sealedItem: Buffer | null;
  readonly now: Date;
}

export interface JoinPlan {
  readonly change: CaseColumns;
  /** The rule under which this report pauses the item. */
  readonly pausedUnder: PolicyName | null;
  /** The item is to be taken away until somebody decides. */
  readonly isPaused: boolean;
}

/** What a report changes on the case that it joins. */
export function planJoin(facts: JoinFacts): JoinPlan {
  const { found, policy, trust, tallies, origins, findings, own, sealedItem, now } = facts;
  const weight = weightUnder(policy, trust);
  const isFrozen = found.isFrozen || looksCoordinated(tallies, origins);
  const raised = trust > 0 ? raiseTo(policy, found, now) : {};
  const hasTippedAnother = own.some((one) => one.isTipping && one.outcome === 'pending');
  const paused =
    !isFrozen && !hasTippedAnother && weight > 0 && reachesPause(tallies, findings)
      ? pauseOf({ ...found, ...raised, isFrozen }, now)
      : null;
  // The pause is of the profile, not of the words that were there when it began.
  const isWrittenInPause = sealedItem !== null && found.pausedAt !== null && weight > 0;
  return {
    change: {
      reporters: found.reporters + 1,
      isFrozen,
      // With another version: who decides has read these words.
      ...(sealedItem ? { sealedItem, version: found.version + 1 } : {}),
      ...(isWrittenInPause ? { pendingEffect: 'hide' } : {}),
      ...raised,
      ...paused,
    },
    pausedUnder: paused ? (raised.policy ?? found.policy) : null,
    isPaused: paused !== null || isWrittenInPause,
  };
}
