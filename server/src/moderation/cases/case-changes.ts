import type { ModerationBase } from '../../kernel/base.ts';
import { AppError } from '../../platform/errors.ts';
import { toCase, toColumns, type CaseColumns, type CaseRow } from './case-row.ts';
import * as queries from './cases.queries.ts';
import { transition, type CaseEffect, type CaseEvent, type Decider, type Refusal } from './cases.state.ts';
import type { Moderator } from '../moderators/moderator.ts';
import { voidNotice } from '../notices/notices.queries.ts';

export interface CaseChange {
  readonly before: CaseRow;
  readonly row: CaseRow;
  readonly effects: readonly CaseEffect[];
}

const reportOutcomes = {
  reports_agreed: 'agreed',
  reports_disagreed: 'disagreed',
  reports_unused: 'unused',
} as const;

/**
 * Applies one event to a case that the transaction has locked: what the state machine returns is written, with the
 * outcomes of reports. The caller writes the notice and then the audit entry. The audit log has one lock for all, so it
 * comes last: a transaction that waited for a row while holding it could deadlock.
 */
export async function changeCase(
  { db }: ModerationBase,
  before: CaseRow,
  event: CaseEvent,
  { at, set = {} }: { readonly at: Date; readonly set?: CaseColumns },
): Promise<CaseChange | { readonly refusal: Refusal }> {
  const from = toCase(before);
  const result = transition(from, event, at.getTime());
  if ('refusal' in result) return result;
  const by = 'by' in event ? event.by.id : null;
  const columns = toColumns(from, result.next, result.effects, { at, by });
  const row = await queries.updateCase(db, before.id, { ...columns, ...set });
  for (const effect of result.effects) {
    if (effect === 'void_notice') await voidNotice(db, before.id, at);
    else if (effect in reportOutcomes)
      await queries.updateReports(db, before.id, reportOutcomes[effect as keyof typeof reportOutcomes]);
  }
  return { before, row, effects: result.effects };
}

/** `changeCase` for a moderator's command: locks the case, and a refusal is an error. */
export async function commandCase(
  ctx: ModerationBase,
  caseId: bigint,
  event: CaseEvent,
  options: { readonly at: Date; set?(row: CaseRow): CaseColumns },
): Promise<CaseChange> {
  const before = await queries.lockCase(ctx.db, caseId);
  if (!before) throw new AppError('CASE_NOT_FOUND');
  const change = await changeCase(ctx, before, event, { at: options.at, set: options.set?.(before) ?? {} });
  if ('refusal' in change) throw refusalError(change.refusal);
  return change;
}

/** A moderator as the state machine sees them. */
export const deciderOf = ({ moderatorId, role }: Moderator): Decider => ({
  id: moderatorId,
  isLead: role === 'lead',
});

export async function requireCase({ db }: ModerationBase, caseId: bigint): Promise<CaseRow> {
  const row = await queries.findCase(db, caseId);
  if (!row) throw new AppError('CASE_NOT_FOUND');
  return row;
}

export function refusalError(refusal: Refusal): AppError {
  // Commands of moderators never meet it.
  if (refusal === 'NOT_DUE') throw new Error('an automatic event was refused as a command');
  return new AppError(refusal);
}
