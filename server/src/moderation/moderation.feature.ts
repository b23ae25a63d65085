import type { Viewer } from '../auth/viewer.ts';
import type { CommentModeration } from '../comments/comment-moderation.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import type { RedisCrypto } from '../platform/crypto/redis-crypto.ts';
import type { Databases } from '../platform/db.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { Job } from '../platform/jobs.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { RedisStore } from '../platform/redis.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { ProfileModeration } from '../profiles/profile-moderation.service.ts';
import type { Persons } from '../pseudonyms/person-keys.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { Speakers } from '../pseudonyms/speakers.ts';
import type { VentModeration } from '../vents/vent-moderation.service.ts';
import { checkAudit } from './audit-check.ts';
import { createAuthors } from './authors.ts';
import { createCaseBox } from './case-box.ts';
import { createCaseDecisions } from './cases/case-decisions.service.ts';
import { createCaseRounds } from './cases/case-rounds.service.ts';
import { createCasesService } from './cases/cases.service.ts';
import { createConsoleFigures } from './cases/console-figures.ts';
import { consoleRoutes } from './cases/console.routes.ts';
import { createEffects, type Effects } from './cases/effects.ts';
import { createRevealsService } from './cases/reveals.service.ts';
import { createHolds, type Holds } from './holds.ts';
import { intakeJobs } from './intake/intake.jobs.ts';
import { intakeRoutes } from './intake/intake.routes.ts';
import { createIntakeService } from './intake/intake.service.ts';
import { createItemCopies } from './intake/item-copies.ts';
import { createItemReader } from './intake/item-reader.service.ts';
import { createOldReports } from './intake/old-reports.service.ts';
import { createReportOrigins } from './intake/report-origins.ts';
import { createStaffCases, type StaffCases } from './intake/staff-cases.service.ts';
import { ledgerRoutes } from './ledger/ledger.routes.ts';
import { createLedgerService } from './ledger/ledger.service.ts';
import { moderationJobs } from './moderation.jobs.ts';
import { moderationPrivacy } from './moderation.privacy.ts';
import { createModeratorSessions, type ModeratorSessions } from './moderators/moderator-sessions.service.ts';
import { moderatorsJobs } from './moderators/moderators.jobs.ts';
import { createStaffService, type StaffService } from './moderators/staff.service.ts';
import { noticesRoutes } from './notices/notices.routes.ts';
import { createNoticesService, type NoticesService } from './notices/notices.service.ts';
import type { StandingService } from './notices/standing.service.ts';
import { createSubjects } from './subjects.ts';

interface ModerationDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly redisCrypto: RedisCrypto;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly keys: Keys;
  readonly publicIds: PublicIds;
  readonly persons: Persons;
  readonly speakers: Speakers;
  /** Built before the rest: sign-in and every call ask for it. */
  readonly standing: StandingService;
  readonly vents: VentModeration;
  readonly comments: CommentModeration;
  readonly profiles: ProfileModeration;
  /** The account behind the id that this viewer knows a peer by. */
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
}

/** Everything of moderation that `features.ts` and other features use. */
export interface Moderation {
  readonly bindings: readonly Binding[];
  /** For the moderation service alone. */
  readonly consoleBindings: readonly Binding[];
  readonly jobs: readonly Job[];
  readonly privacyPart: PrivacyPart;
  readonly holds: Holds;
  readonly notices: NoticesService;
  readonly effects: Effects;
  readonly staffCases: StaffCases;
  readonly moderators: { readonly sessions: ModeratorSessions; readonly staff: StaffService };
}

export function buildModeration(deps: ModerationDeps): Moderation {
  const { keys, profiles } = deps;
  const subjects = createSubjects(keys);
  const caseBox = createCaseBox(keys);
  const authors = createAuthors({ ...deps, caseBox, findBySpeaker: profiles.findBySpeaker });
  const copies = createItemCopies({ caseBox, authors });
  const items = createItemReader(deps);
  const effects = createEffects({ ...deps, subjects, caseBox });
  const origins = createReportOrigins(deps);
  const intake = createIntakeService({ ...deps, subjects, caseBox, copies, items, origins, effects });
  const staffCases = createStaffCases({ ...deps, subjects, caseBox, copies, items });
  const oldReports = createOldReports({ ...deps, subjects, caseBox, copies });
  const caseRounds = createCaseRounds({ ...deps, subjects, effects });
  const notices = createNoticesService({ ...deps, caseBox });
  const moderatorSessions = createModeratorSessions(deps);
  return {
    bindings: [
      ...intakeRoutes(intake),
      ...noticesRoutes(notices),
      ...ledgerRoutes(createLedgerService(deps)),
    ],
    consoleBindings: consoleRoutes({
      cases: createCasesService({ ...deps, caseBox, authors, staffCases }),
      decisions: createCaseDecisions({ ...deps, caseBox, authors, effects }),
      reveals: createRevealsService({ ...deps, subjects, caseBox }),
      figures: createConsoleFigures(deps),
    }),
    jobs: [
      ...intakeJobs(oldReports),
      ...moderatorsJobs(moderatorSessions),
      ...moderationJobs(caseRounds, () => checkAudit(deps)),
    ],
    privacyPart: moderationPrivacy({ ...deps, caseBox, notices }),
    holds: createHolds({ ...deps, subjects }),
    notices,
    effects,
    staffCases,
    moderators: { sessions: moderatorSessions, staff: createStaffService(deps) },
  };
}
