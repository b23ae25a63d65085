import * as calls from '@unsaid/contract/moderation/console';
import type { Binding } from '../../platform/http/bind.ts';
import type { ModerationContext } from '../context.ts';
import { bindModerator } from '../moderators/moderator.ts';
import { decideCase, resolveAppeal, reverseDecision } from './case-decisions.ts';
import * as cases from './cases.ts';
import { readAudit, readFigures } from './console-figures.ts';
import { revealPart } from './reveals.ts';

const pageOf = (page = '1') => (/^[1-9][0-9]{0,4}$/u.test(page) ? Number(page) : 1);
const idOf = (id: string | undefined) => (id === undefined ? null : BigInt(id));

/** The calls of the moderation console about cases. Sign-in is in moderators.routes.ts. */
export const consoleRoutes = (ctx: ModerationContext): Binding[] => [
  bindModerator(calls.listCases, ({ query, viewer }) =>
    cases.listCases(ctx, viewer, query.show ?? 'waiting', pageOf(query.page)),
  ),
  bindModerator(calls.getCase, async ({ params, viewer }) => ({
    case: await cases.getCase(ctx, viewer, BigInt(params.id)),
  })),
  bindModerator(calls.openCase, async ({ body, viewer }) => ({
    case: await cases.openCase(ctx, viewer, body),
  })),
  bindModerator(calls.nextCase, async ({ viewer }) => ({ case: await cases.takeNextCase(ctx, viewer) })),
  bindModerator(calls.takeCase, async ({ params, viewer }) => ({
    case: await cases.leaseCase(ctx, viewer, BigInt(params.id), 'take'),
  })),
  bindModerator(calls.extendLease, async ({ params, viewer }) => ({
    case: await cases.leaseCase(ctx, viewer, BigInt(params.id), 'extend'),
  })),
  bindModerator(calls.releaseCase, ({ params, body, viewer }) =>
    cases.releaseCase(ctx, viewer, BigInt(params.id), body.isSkip ?? false),
  ),
  bindModerator(calls.escalateCase, ({ params, body, viewer }) =>
    cases.escalateCase(ctx, viewer, BigInt(params.id), body),
  ),
  bindModerator(calls.revealPart, ({ params, body, viewer }) =>
    revealPart(ctx, viewer, BigInt(params.id), body.part),
  ),
  bindModerator(calls.decideCase, async ({ params, body, viewer }) => ({
    preview: await decideCase(ctx, viewer, BigInt(params.id), body),
  })),
  bindModerator(calls.resolveAppeal, ({ params, body, viewer }) =>
    resolveAppeal(ctx, viewer, BigInt(params.id), body),
  ),
  bindModerator(calls.reverseCase, ({ params, body, viewer }) =>
    reverseDecision(ctx, viewer, BigInt(params.id), body.version),
  ),
  bindModerator(calls.getMetrics, () => readFigures(ctx)),
  bindModerator(calls.listAudit, ({ query }) =>
    readAudit(ctx, { before: idOf(query.before), caseId: idOf(query.caseId) }),
  ),
];
