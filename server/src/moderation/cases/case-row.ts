import type { PolicyName, SubjectKind } from '@unsaid/contract';
import { dayMs } from '../../platform/clock.ts';
import type { CaseState, Outcome, Resolution } from '@unsaid/contract/moderation/console';
import type { Selectable, Updateable } from 'kysely';
import type { ModerationTables } from '../../db/schema.ts';
import type { Case, CaseEffect } from './cases.state.ts';
import type { ItemEffect } from '../ports.ts';

type Cases = ModerationTables['moderation.cases'];

export interface CaseRow extends Omit<
  Selectable<Cases>,
  'subjectKind' | 'source' | 'policy' | 'state' | 'outcome' | 'resolution'
> {
  readonly subjectKind: SubjectKind;
  readonly source: 'report' | 'staff' | 'order';
  readonly policy: PolicyName;
  readonly state: CaseState;
  readonly outcome: Outcome | null;
  readonly resolution: Resolution | null;
}

/** Columns that change with a case. */
export type CaseColumns = Updateable<Cases>;

/** After closing: the case, its reports, and the item if it was removed. */
export const keepClosedDays = 180;
/** After closing: everything encrypted. */
export const keepSealedDays = 30;

const ms = (date: Date | null) => date?.getTime() ?? null;
const date = (time: number | null) => (time === null ? null : new Date(time));

/** The row as the state machine sees it. */
export function toCase(row: CaseRow): Case {
  return {
    state: row.state,
    version: row.version,
    subjectKind: row.subjectKind,
    severity: row.severity,
    pausedAt: ms(row.pausedAt),
    pauseEndsAt: ms(row.pauseEndsAt),
    isFrozen: row.isFrozen,
    lease:
      row.leasedBy === null || row.leasedUntil === null
        ? null
        : { by: row.leasedBy, until: row.leasedUntil.getTime() },
    outcome: row.outcome,
    decidedBy: row.decidedBy,
    appealUntil: ms(row.appealUntil),
    appealedAt: ms(row.appealedAt),
    resolution: row.resolution,
  };
}

const effectColumns: Partial<Record<CaseEffect, ItemEffect>> = {
  hide_item: 'hide',
  remove_item: 'remove',
  restore_item: 'restore',
};

/** The columns of a change that the state machine allowed. `by` made it, if a moderator did. */
export function toColumns(
  before: Case,
  next: Case,
  effects: readonly CaseEffect[],
  { at, by }: { readonly at: Date; readonly by: number | null },
): CaseColumns {
  const effect = effects.map((one) => effectColumns[one]).find((one) => one !== undefined);
  return {
    version: next.version,
    state: next.state,
    isFrozen: next.isFrozen,
    pausedAt: date(next.pausedAt),
    pauseEndsAt: date(next.pauseEndsAt),
    leasedBy: next.lease?.by ?? null,
    leasedUntil: date(next.lease?.until ?? null),
    ...(next.outcome === before.outcome
      ? {}
      : {
          outcome: next.outcome,
          decidedBy: next.decidedBy,
          decidedAt: at,
          appealUntil: date(next.appealUntil),
        }),
    ...(next.appealedAt === before.appealedAt ? {} : { appealedAt: date(next.appealedAt) }),
    ...(next.resolution === before.resolution
      ? {}
      : { resolution: next.resolution, resolvedBy: by, resolvedAt: at }),
    ...(next.state === 'closed' && before.state !== 'closed'
      ? { purgeAt: new Date(at.getTime() + keepClosedDays * dayMs) }
      : {}),
    ...(effect === undefined ? {} : { pendingEffect: effect }),
  };
}
