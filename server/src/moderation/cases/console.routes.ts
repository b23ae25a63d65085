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
import { bindModerator } from '../moderators/moderator.ts';
import type { CasesService } from './cases.ts';
import type { ConsoleFigures } from './console-figures.ts';
import type { CaseDecisions } from './case-decisions.ts';
import type { RevealsService } from './reveals.ts';

interface ConsoleServices {
  readonly cases: CasesService;
  readonly decisions: CaseDecisions;
  readonly reveals: RevealsService;
  readonly figures: ConsoleFigures;
}

const pageOf = (page = '1') => (/^[1-9][0-9]{0,4}$/u.test(page) ? Number(page) : 1);
const idOf = (id: string | undefined) => (id === undefined ? null : BigInt(id));

/** The calls of the moderation console about cases. Sign-in is in moderators.routes.ts. */
export function consoleRoutes({ cases, decisions, reveals, figures }: ConsoleServices): Binding[] {
  return [
    bindModerator(listCases, ({ query, viewer }) =>
      cases.list(viewer, query.show ?? 'waiting', pageOf(query.page)),
    ),
    bindModerator(getCase, async ({ params, viewer }) => ({
      case: await cases.get(viewer, BigInt(params.id)),
    })),
    bindModerator(openCase, async ({ body, viewer }) => ({ case: await cases.open(viewer, body) })),
    bindModerator(nextCase, async ({ viewer }) => ({ case: await cases.next(viewer) })),
    bindModerator(takeCase, async ({ params, viewer }) => ({
      case: await cases.take(viewer, BigInt(params.id)),
    })),
    bindModerator(extendLease, async ({ params, viewer }) => ({
      case: await cases.extend(viewer, BigInt(params.id)),
    })),
    bindModerator(releaseCase, ({ params, body, viewer }) =>
      cases.release(viewer, BigInt(params.id), body.isSkip ?? false),
    ),
    bindModerator(escalateCase, ({ params, body, viewer }) =>
      cases.escalate(viewer, BigInt(params.id), body),
    ),
    bindModerator(revealPart, ({ params, body, viewer }) =>
      reveals.reveal(viewer, BigInt(params.id), body.part),
    ),
    bindModerator(decideCase, async ({ params, body, viewer }) => ({
      preview: await decisions.decide(viewer, BigInt(params.id), body),
    })),
    bindModerator(resolveAppeal, ({ params, body, viewer }) =>
      decisions.resolve(viewer, BigInt(params.id), body),
    ),
    bindModerator(reverseCase, ({ params, body, viewer }) =>
      decisions.reverse(viewer, BigInt(params.id), body.version),
    ),
    bindModerator(getMetrics, () => figures.metrics()),
    bindModerator(listAudit, ({ query }) => figures.audit(idOf(query.before), idOf(query.caseId))),
  ];
}
