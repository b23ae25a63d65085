import type { Feature, ModerationBase } from '../kernel/base.ts';
import type { StandingService } from '../kernel/standing.ts';
import { createSubjects } from '../kernel/subjects.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { createLocalCache } from '../platform/local-cache.ts';
import { checkAudit } from './audit-check.ts';
import { createAuthors } from './authors.ts';
import { createCaseBox } from './case-box.ts';
import { createCaseDecisions } from './cases/case-decisions.ts';
import { createCaseRounds } from './cases/case-rounds.ts';
import { createCasesService } from './cases/cases.ts';
import { createConsoleFigures } from './cases/console-figures.ts';
import { consoleRoutes } from './cases/console.routes.ts';
import { createEffects } from './cases/effects.ts';
import { createRevealsService } from './cases/reveals.ts';
import { grievanceRoutes, type Imprint } from './grievance/grievance.routes.ts';
import { createHolds as createHoldsOf } from './holds.ts';
import { intakeRoutes } from './moderation.routes.ts';
import { createIntakeService } from './reports/reports.ts';
import { createItemCopies } from './reports/item-copies.ts';
import { createItemReader } from './reports/item-reader.ts';
import { createReportOrigins } from './reports/report-origins.ts';
import { createStaffCases } from './cases/staff-cases.ts';
import { ledgerRoutes } from './ledger/ledger.routes.ts';
import { createLedgerService } from './ledger/ledger.ts';
import { moderationJobs } from './moderation.jobs.ts';
import { moderationPrivacy } from './moderation.privacy.ts';
import { createModeratorSessions } from './moderators/moderator-sessions.ts';
import { checkRoster } from './moderators/roster-check.ts';
import { createStaffService } from './moderators/staff.ts';
import { noticesRoutes } from './notices/notices.routes.ts';
import { createNoticesService } from './notices/notices.ts';
import type { Items, KnowsPeople } from './ports.ts';
import { createStandingService, type CachedSanction } from './standing.ts';

interface ModerationPorts {
  readonly standing: StandingService;
  readonly items: Items;
  readonly people: KnowsPeople;
  readonly imprint: Imprint;
  /** The account behind the id that this viewer knows a peer by. */
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
}

export type Moderation = ReturnType<typeof createModeration>;

/** Built before the rest of moderation: sign-in and every call ask for it. */
export async function createStanding(base: ModerationBase): Promise<StandingService> {
  const cache = await createLocalCache<readonly CachedSanction[]>(base, {
    name: 'standing',
    channel: 'standings-changed',
  });
  return createStandingService({ ...base, cache, caseBox: createCaseBox(base.keys) });
}

/** Built before the rest of moderation: removing the words of those who left asks for it. */
export const createHolds = (base: ModerationBase) =>
  createHoldsOf({ ...base, subjects: createSubjects(base.keys) });

/** Reports, cases, notices and moderators: everything in the schema moderation. */
export function createModeration(base: ModerationBase, ports: ModerationPorts) {
  const deps = { ...base, ...ports };
  const subjects = createSubjects(base.keys);
  const caseBox = createCaseBox(base.keys);
  const authors = createAuthors({ ...deps, caseBox, findBySpeaker: ports.people.findBySpeaker });
  const copies = createItemCopies({ caseBox, authors });
  const reader = createItemReader(deps);
  const effects = createEffects({ ...deps, subjects, caseBox });
  const origins = createReportOrigins(deps);
  const intake = createIntakeService({ ...deps, subjects, caseBox, copies, reader, origins, effects });
  const staffCases = createStaffCases({ ...deps, subjects, caseBox, copies, reader });
  const caseRounds = createCaseRounds({ ...deps, subjects, effects });
  const notices = createNoticesService({ ...deps, caseBox });
  const moderatorSessions = createModeratorSessions(deps);
  return {
    effects,
    moderators: { sessions: moderatorSessions, staff: createStaffService(deps) },
    notices,
    staffCases,
    bindings: [
      ...intakeRoutes(intake),
      ...noticesRoutes(notices),
      ...ledgerRoutes(createLedgerService(deps)),
      ...grievanceRoutes(ports.imprint),
    ],
    /** For the moderation service alone. */
    consoleBindings: consoleRoutes({
      cases: createCasesService({ ...deps, caseBox, authors, staffCases }),
      decisions: createCaseDecisions({ ...deps, caseBox, authors, effects }),
      reveals: createRevealsService({ ...deps, subjects, caseBox }),
      figures: createConsoleFigures(deps),
    }),
    jobs: moderationJobs({
      rounds: caseRounds,
      sessions: moderatorSessions,
      checkAudit: () => checkAudit(deps),
      checkRoster: () => checkRoster(deps),
    }),
    privacy: [moderationPrivacy({ ...deps, caseBox, notices })],
  } satisfies Feature & Record<string, unknown>;
}
