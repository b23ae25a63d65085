import { reportReasonCodes, type Sanction } from '@unsaid/contract';
import type { CaseLine, CasePart, CaseView, PointLevel } from '@unsaid/contract/moderation/console';
import { policies, suggestedFrom } from '@unsaid/contract/moderation/policies';
import type { PolicyName } from '@unsaid/contract';
import { startOfMinute } from '../../platform/clock.ts';
import type { CaseRow } from './case-row.ts';
import type { ReasonCount } from './cases.queries.ts';
import { isSevere, isWaiting } from './cases.state.ts';

const minute = (date: Date) => startOfMinute(date.getTime()).toISOString();

export function caseLine(
  row: CaseRow,
  reasons: readonly ReasonCount[],
  { moderatorId, now }: { readonly moderatorId: number; readonly now: number },
): CaseLine {
  const isHeld = row.leasedUntil !== null && row.leasedUntil.getTime() > now;
  return {
    id: String(row.id),
    kind: row.subjectKind,
    source: row.source,
    policy: row.policy,
    severity: row.severity,
    language: row.language,
    state: row.state,
    openedAt: minute(row.openedAt),
    dueAt: minute(row.dueAt),
    isOverdue: isWaiting(row.state) && row.dueAt.getTime() < now,
    isPaused: row.pausedAt !== null && row.outcome === null,
    isFrozen: row.isFrozen,
    reporters: row.reporters,
    reasons: reportReasonCodes.flatMap((reason) =>
      reasons
        .filter((one) => one.caseId === row.id && one.reason === reason)
        .map(({ count }) => ({ reason, count })),
    ),
    lease: !isHeld ? 'none' : row.leasedBy === moderatorId ? 'mine' : 'other',
  };
}

export interface AuthorFacts {
  readonly points: number;
  /** The account was deleted. */
  readonly isGone: boolean;
}

export interface CaseFacts {
  readonly parts: readonly CasePart[];
  /** Null for who does not hold the case. */
  readonly author: AuthorFacts | null;
  readonly sanction: Sanction;
  readonly note: string | null;
}

export function caseView(row: CaseRow, line: CaseLine, facts: CaseFacts, moderatorId: number): CaseView {
  return {
    ...line,
    version: row.version,
    leasedUntil: line.lease === 'none' ? null : (row.leasedUntil?.toISOString() ?? null),
    parts: [...facts.parts],
    isSevere: isSevere(row),
    points: facts.author && pointLevel(facts.author.points),
    suggestedSanction: facts.author ? suggestSanction(facts.author.points, row.policy) : 'none',
    isAuthorGone: facts.author?.isGone ?? false,
    outcome: row.outcome,
    sanction: facts.sanction,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    isDecidedByMe: row.decidedBy === moderatorId,
    appealUntil: row.appealUntil?.toISOString() ?? null,
    resolution: row.resolution,
    note: facts.note,
  };
}

/** A number could tell that two cases have one author. */
function pointLevel(points: number): PointLevel {
  if (points === 0) return 'none';
  return points >= suggestedFrom.suspend / 2 ? 'near_suspension' : 'some';
}

function suggestSanction(points: number, policy: PolicyName): Sanction {
  const total = points + policies[policy].points;
  if (total >= suggestedFrom.ban) return 'ban';
  if (total >= suggestedFrom.suspend) return 'suspend';
  return total >= suggestedFrom.limit ? 'limit' : 'none';
}
