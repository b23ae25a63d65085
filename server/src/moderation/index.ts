import type { Feature, ModerationBase } from '../kernel/base.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { StandingService } from '../kernel/standing.ts';
import { createSubjects, type Subject } from '../kernel/subjects.ts';
import { createLocalCache } from '../platform/local-cache.ts';
import { checkAudit } from './audit.ts';
import { createCaseBox } from './case-box.ts';
import { purgeCases, runCaseRound } from './cases/case-rounds.ts';
import { hasSevereCase } from './cases/cases.ts';
import { consoleRoutes } from './cases/console.routes.ts';
import type { ConsoleContext, ModerationContext, ModerationCore } from './context.ts';
import { moderationPrivacy } from './moderation.privacy.ts';
import { moderationRoutes } from './moderation.routes.ts';
import { moderatorAccess } from './moderators/moderator-access.ts';
import { purgeEndedSessions } from './moderators/moderator-sessions.ts';
import { moderatorsRoutes } from './moderators/moderators.routes.ts';
import { createPasskeys } from './moderators/passkeys.ts';
import { checkRoster } from './moderators/staff.ts';
import { listNoticeHeads } from './notices/notices.ts';
import type { ModerationPorts } from './ports.ts';
import { createReportOrigins } from './reports/report-origins.ts';
import { areSilent, findExclusion, findStanding, findSuspended, replaceCachedStanding } from './standing.ts';

export { createCloseKey } from './authors.ts';
export { listWaiting } from './cases/cases.queries.ts';
export { measureCases } from './moderation.metrics.ts';
export { countActive, listModerators } from './moderators/moderators.queries.ts';
export { addModerator, disableModerator, renewEnrolment, StaffError } from './moderators/staff.ts';
export type { NoticeHead } from './notices/notices.ts';

export type Moderation = ReturnType<typeof createModeration>;

/** What other rooms ask of moderation before the rest of it can be built. */
export async function createModerationCore(base: ModerationBase) {
  const ctx: ModerationCore = {
    ...base,
    subjects: createSubjects(base.keys),
    caseBox: createCaseBox(base.keys),
    sanctionsCache: await createLocalCache(base, { name: 'standing', channel: 'standings-changed' }),
  };
  const standing: StandingService = {
    find: (person, options) => findStanding(ctx, person, options),
    suspendedAmong: (people) => findSuspended(ctx, people),
    areSilent: (noticeSlots) => areSilent(ctx, noticeSlots),
    findExclusion: (person) => findExclusion(ctx, person),
    invalidate: (person) => replaceCachedStanding(ctx, person),
  };
  return { ctx, standing, holds: { isHeld: (subject: Subject) => hasSevereCase(ctx, subject) } };
}

/** Reports, cases, notices and moderators: everything in the schema moderation. */
export function createModeration(core: ModerationCore, ports: ModerationPorts) {
  const ctx: ModerationContext = {
    ...core,
    ports,
    origins: createReportOrigins(core),
    kept: { ledger: null, brokenAudit: null },
  };
  return {
    ctx,
    notices: { listHeads: (person: Person) => listNoticeHeads(ctx, person) },
    bindings: moderationRoutes(ctx),
    /** For the moderation service alone. */
    consoleBindings: consoleRoutes(ctx),
    jobs: [
      { name: 'moderation-round', cron: '* * * * *', run: (rows) => runCaseRound(ctx, rows) },
      { name: 'moderation-purge', cron: '35 21 * * *', run: (rows) => purgeCases(ctx, rows) },
      { name: 'audit-check', cron: '50 21 * * *', run: () => checkAudit(ctx) },
      { name: 'roster-check', cron: '*/5 * * * *', run: () => checkRoster(ctx) },
      { name: 'purge-moderator-sessions', cron: '20 * * * *', run: () => purgeEndedSessions(ctx) },
    ],
    privacy: [moderationPrivacy(ctx)],
  } satisfies Feature & Record<string, unknown>;
}

/** Sign-in of moderators, and who may call the console. */
export async function createConsole(
  base: ModerationBase,
  { origin, addressKey }: Pick<ConsoleContext, 'origin' | 'addressKey'>,
) {
  const ctx: ConsoleContext = { ...base, origin, addressKey, passkeys: await createPasskeys(origin) };
  return { bindings: moderatorsRoutes(ctx), access: moderatorAccess(ctx) };
}
