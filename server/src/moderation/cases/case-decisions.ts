import { randomInt } from 'node:crypto';
import type { ParsedRequestOf, PolicyName, Sanction } from '@unsaid/contract';
import type * as calls from '@unsaid/contract/moderation/console';
import type { NoticePreview, Resolution } from '@unsaid/contract/moderation/console';
import {
  appealDays,
  moderatorSuspendDays,
  policies,
  sanctionDays,
} from '@unsaid/contract/moderation/policies';
import { dayInIndia, minuteMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { describeFault } from '../../platform/logger.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { recordAudit } from '../audit.ts';
import { findAuthor } from '../authors.ts';
import { addNote } from '../case-box.ts';
import type { ModerationContext } from '../context.ts';
import { requireProof, type Moderator } from '../moderators/moderator.ts';
import { midnightAfter, sanctionTimes } from '../notices/sanction-times.ts';
import { writeNotice } from '../notices/notice-slots.ts';
import { replaceCachedStanding } from '../standing.ts';
import { commandCase, deciderOf, refusalError, requireCase } from './case-changes.ts';
import { toCase, type CaseRow } from './case-row.ts';
import { transition, type CaseEvent } from './cases.state.ts';
import { applyPendingEffect } from './effects.ts';

type DecisionInput = ParsedRequestOf<typeof calls.decideCase>['body'];

/** What a moderator chose, checked against the rules. */
interface Choice {
  readonly outcome: DecisionInput['outcome'];
  /** Of a restriction. Null for keep and care. */
  readonly policy: PolicyName | null;
  readonly sanction: Sanction;
  readonly days: number | null;
  readonly appealDays: number | null;
  readonly isAtOnce: boolean;
}

/** Points expire with the notice. */
const noticeDays = 180;

const invalid = (path: string, rule: string) =>
  new AppError('VALIDATION_FAILED', { fields: [{ path, rule }] });

/** Decisions, and their second look. The item follows after the commit (effects.ts). */

/** With `isDryRun` it writes nothing. */
export async function decideCase(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  input: DecisionInput,
): Promise<NoticePreview> {
  const seen = await requireCase(ctx, caseId);
  const choice = checkChoice(input, seen, moderator);
  const author = await findAuthor(ctx, seen);
  const event: CaseEvent = {
    type: 'decide',
    by: deciderOf(moderator),
    version: input.version,
    outcome: choice.outcome,
    hasPolicy: choice.policy !== null,
    appealDays: choice.appealDays ?? 0,
  };
  const preview = previewOf(choice, author);
  if (input.isDryRun) {
    const result = transition(toCase(seen), event, ctx.clock.now());
    if ('refusal' in result) throw refusalError(result.refusal);
    return preview;
  }
  if (choice.sanction === 'ban') requireProof(ctx, moderator);
  await inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const { before: row, effects: due } = await commandCase(ctx, caseId, event, {
      at,
      set: (before) => ({
        ...(choice.policy ? { policy: choice.policy } : {}),
        ...(input.note ? { sealedNote: addNote(ctx.caseBox, before, moderator.alias, input.note) } : {}),
      }),
    });
    if (author && due.includes('write_notice'))
      await writeNotice(ctx, author, noticeOf(caseId, choice, at), at);
    const detail = auditOf(choice, row, author, at);
    await recordAudit(ctx.db, { at, actor: moderator.alias, action: 'decided', caseId, detail });
  });
  await applyEffect(ctx, caseId);
  if (author && choice.sanction !== 'none') await replaceCachedStanding(ctx, author);
  return preview;
}

export async function resolveAppeal(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  { version, resolution }: { readonly version: number; readonly resolution: Resolution },
): Promise<void> {
  const author = await findAuthor(ctx, await requireCase(ctx, caseId));
  await inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const event: CaseEvent = { type: 'resolve', by: deciderOf(moderator), version, resolution };
    const { before } = await commandCase(ctx, caseId, event, { at });
    const isInTime = at.getTime() <= before.dueAt.getTime();
    const detail = { resolution, policy: before.policy, severity: before.severity, isInTime };
    await recordAudit(ctx.db, { at, actor: moderator.alias, action: 'resolved', caseId, detail });
  });
  await finish(ctx, caseId, author);
}

export async function reverseDecision(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  version: number,
): Promise<void> {
  const author = await findAuthor(ctx, await requireCase(ctx, caseId));
  await inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const event: CaseEvent = { type: 'reverse', by: deciderOf(moderator), version };
    const { before } = await commandCase(ctx, caseId, event, { at });
    const detail = { policy: before.policy, severity: before.severity };
    await recordAudit(ctx.db, { at, actor: moderator.alias, action: 'reversed', caseId, detail });
  });
  await finish(ctx, caseId, author);
}

/** The decision is stored. If the item cannot be changed now, the job of the minute does it. */
async function applyEffect(ctx: ModerationContext, caseId: bigint): Promise<void> {
  try {
    await applyPendingEffect(ctx, caseId);
  } catch (error) {
    ctx.logger.warn({ event: 'case_effect_failed', ...describeFault(error) });
  }
}

/** Overturned or reversed: the item is back, and the sanction ends. */
async function finish(ctx: ModerationContext, caseId: bigint, author: Person | null): Promise<void> {
  await applyEffect(ctx, caseId);
  if (author) await replaceCachedStanding(ctx, author);
}

/** Rules about roles, rules and days. The state machine checks the rest. */
function checkChoice(input: DecisionInput, row: CaseRow, { role }: Moderator): Choice {
  const { outcome, sanction = 'none' } = input;
  const isRestriction = outcome === 'hide' || outcome === 'remove';
  if (!isRestriction) {
    if (sanction !== 'none') throw invalid('sanction', 'not_with_this_outcome');
    return { outcome, policy: null, sanction, days: null, appealDays: null, isAtOnce: false };
  }
  const { policy } = input;
  // Worry is no rule that somebody broke, and an order is one only where there is an order.
  if (!policy || policy === 'worried' || (policy === 'legal_order' && row.source !== 'order'))
    throw new AppError('POLICY_REQUIRED');
  const days = sanction === 'none' ? null : (input.days ?? sanctionDays[sanction].default);
  if (sanction !== 'none' && days !== null) {
    const { min, max } = sanctionDays[sanction];
    if (!Number.isInteger(days) || days < min || days > max) throw invalid('days', 'out_of_range');
    const needsLead = sanction === 'ban' || (sanction === 'suspend' && days > moderatorSuspendDays);
    if (needsLead && role !== 'lead') throw new AppError('ROLE_REQUIRED');
  }
  return {
    outcome,
    policy,
    sanction,
    days,
    appealDays,
    isAtOnce: input.isDangerous === true || policies[policy].severity === 4,
  };
}

function previewOf(choice: Choice, author: Person | null): NoticePreview {
  const { outcome, policy, sanction, days } = choice;
  return {
    kind: outcome === 'keep' ? null : outcome,
    policy: outcome === 'care' ? 'worried' : policy,
    sanction,
    days,
    appealDays: choice.appealDays,
    isAuthorGone: author === null,
  };
}

function noticeOf(caseId: bigint, { outcome, policy, sanction, days, isAtOnce }: Choice, at: Date) {
  const rule = policy ?? 'worried';
  const share = randomInt(2 ** 32) / 2 ** 32;
  const times = days === null ? null : sanctionTimes(at.getTime(), { days, isAtOnce, share });
  return {
    notice: {
      caseId,
      kind: outcome === 'hide' || outcome === 'remove' ? outcome : ('care' as const),
      policy: rule,
      policyVersion: policies[rule].version,
      madeOn: dayInIndia(at.getTime()),
      // The end of a ban, for all: another day would tell the sanction.
      expiresAt: new Date(midnightAfter(at.getTime(), noticeDays)),
    },
    terms: {
      points: policy ? policies[policy].points : 0,
      sanction,
      startsAt: times?.startsAt ?? null,
      endsAt: times?.endsAt ?? null,
    },
  };
}

/**
 * Enumerated values and numbers: the ledger counts them. Minutes since opening: its clocks. Without the sanction, which
 * depends on earlier notices of the author.
 */
function auditOf({ outcome, policy }: Choice, row: CaseRow, author: Person | null, at: Date) {
  return {
    outcome,
    policy: policy ?? row.policy,
    severity: row.severity,
    kind: row.subjectKind,
    source: row.source,
    hasNotice: author !== null && outcome !== 'keep',
    wasPaused: row.pausedAt !== null,
    isInTime: at.getTime() <= row.dueAt.getTime(),
    minutes: Math.max(0, Math.round((at.getTime() - row.openedAt.getTime()) / minuteMs)),
  };
}
