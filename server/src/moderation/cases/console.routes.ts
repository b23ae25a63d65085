import {
  decideCase,
  escalateCase,
  extendLease,
  getCase,
  getMetrics,
  listAudit,
  listCases,
  nextCase,
  openCase,
  releaseCase,
  resolveAppeal,
  revealPart,
  reverseCase,
  takeCase,
} from '@unsaid/contract/moderation/console';
import type { Binding } from '../../platform/http/bind.ts';
import type { ModerationContext } from '../context.ts';
import { bindModerator } from '../moderators/moderator.ts';
import * as decisions from './case-decisions.ts';
import * as cases from './cases.ts';
import { readAudit, readFigures } from './console-figures.ts';
import * as reveals from './reveals.ts';

const pageOf = (page = '1') => (/^[1-9][0-9]{0,4}$/u.test(page) ? Number(page) : 1);
const idOf = (id: string | undefined) => (id === undefined ? null : BigInt(id));

/** The calls of the moderation console about cases. Sign-in is in moderators.routes.ts. */
export const consoleRoutes = (ctx: ModerationContext): Binding[] => [
  bindModerator(listCases, ({ query, viewer }) =>
    cases.listCases(ctx, viewer, query.show ?? 'waiting', pageOf(query.page)),
  ),
  bindModerator(getCase, async ({ params, viewer }) => ({
    case: await cases.getCase(ctx, viewer, BigInt(params.id)),
  })),
  bindModerator(openCase, async ({ body, viewer }) => ({ case: await cases.openCase(ctx, viewer, body) })),
  bindModerator(nextCase, async ({ viewer }) => ({ case: await cases.takeNextCase(ctx, viewer) })),
  bindModerator(takeCase, async ({ params, viewer }) => ({
    case: await cases.takeCase(ctx, viewer, BigInt(params.id)),
  })),
  bindModerator(extendLease, async ({ params, viewer }) => ({
    case: await cases.extendLease(ctx, viewer, BigInt(params.id)),
  })),
  bindModerator(releaseCase, ({ params, body, viewer }) =>
    cases.releaseCase(ctx, viewer, BigInt(params.id), body.isSkip ?? false),
  ),
  bindModerator(escalateCase, ({ params, body, viewer }) =>
    cases.escalateCase(ctx, viewer, BigInt(params.id), body),
  ),
  bindModerator(revealPart, ({ params, body, viewer }) =>
    reveals.revealPart(ctx, viewer, BigInt(params.id), body.part),
  ),
  bindModerator(decideCase, async ({ params, body, viewer }) => ({
    preview: await decisions.decideCase(ctx, viewer, BigInt(params.id), body),
  })),
  bindModerator(resolveAppeal, ({ params, body, viewer }) =>
    decisions.resolveAppeal(ctx, viewer, BigInt(params.id), body),
  ),
  bindModerator(reverseCase, ({ params, body, viewer }) =>
    decisions.reverseDecision(ctx, viewer, BigInt(params.id), body.version),
  ),
  bindModerator(getMetrics, () => readFigures(ctx)),
  bindModerator(listAudit, ({ query }) =>
    readAudit(ctx, { before: idOf(query.before), caseId: idOf(query.caseId) }),
  ),
];
