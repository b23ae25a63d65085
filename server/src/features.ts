import { createAccountsService, type AccountsService } from './auth/accounts.service.ts';
import { authJobs } from './auth/auth.jobs.ts';
import { authPrivacy } from './auth/auth.privacy.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { createOtpService } from './auth/otp.service.ts';
import { createPhoneIndex } from './auth/phone-index.ts';
import { createSignInCookies } from './auth/sign-in-cookies.ts';
import { createSessionsService, type KnownSession, type SessionsService } from './auth/sessions.service.ts';
import { createVisitsService } from './auth/visits.service.ts';
import { commentsPrivacy } from './comments/comments.privacy.ts';
import { createCommentsService } from './comments/comments.service.ts';
import type { Deps } from './deps.ts';
import { leavingJobs } from './leaving/leaving.jobs.ts';
import { leavingPrivacy } from './leaving/leaving.privacy.ts';
import { createLeavingService, type LeavingService } from './leaving/leaving.service.ts';
import { matchesJobs } from './matches/matches.jobs.ts';
import { matchesPrivacy } from './matches/matches.privacy.ts';
import { matchesRoutes } from './matches/matches.routes.ts';
import { createMatchesService } from './matches/matches.service.ts';
import { createMatchmaker } from './matches/matchmaker.service.ts';
import { createCopies } from './platform/copies.ts';
import type { Binding } from './platform/http/bind.ts';
import type { Job } from './platform/jobs.ts';
import type { PrivacyPart } from './privacy/privacy.registry.ts';
import { privacyRoutes } from './privacy/privacy.routes.ts';
import { createPrivacyService } from './privacy/privacy.service.ts';
import { reactionsPrivacy } from './reactions/reactions.privacy.ts';
import { createReactionsService } from './reactions/reactions.service.ts';
import { recoveryJobs } from './recovery/recovery.jobs.ts';
import { recoveryPrivacy } from './recovery/recovery.privacy.ts';
import { recoveryRoutes } from './recovery/recovery.routes.ts';
import { createRecoveryService } from './recovery/recovery.service.ts';
import { reportsPrivacy } from './reports/reports.privacy.ts';
import { createReportsService } from './reports/reports.service.ts';
import { slotsPrivacy } from './slots/slots.privacy.ts';
import { createSlots } from './slots/slots.service.ts';
import { standingPrivacy } from './standing/standing.privacy.ts';
import { createStandingService, type StandingService } from './standing/standing.service.ts';
import { createOwnVents } from './vents/own-vents.ts';
import { createSinceService } from './vents/since.ts';
import { createVentDoors } from './vents/vent-doors.service.ts';
import { createVentRemoval } from './vents/vent-removal.service.ts';
import { ventsJobs } from './vents/vents.jobs.ts';
import { ventsPrivacy } from './vents/vents.privacy.ts';
import { ventsRoutes } from './vents/vents.routes.ts';
import { createVentsService, type Shared } from './vents/vents.service.ts';
import { profilesJobs } from './profiles/profiles.jobs.ts';
import { profilesPrivacy } from './profiles/profiles.privacy.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { createProfilesService } from './profiles/profiles.service.ts';

/** Every feature, wired in plain order. A new one adds its lines here and nowhere else. */
export interface Features {
  readonly bindings: readonly Binding[];
  readonly jobs: readonly Job[];
  readonly privacyParts: readonly PrivacyPart[];
  readonly sessions: SessionsService;
  readonly standing: StandingService;
  readonly accounts: AccountsService;
  readonly leaving: LeavingService;
}

export async function buildFeatures(deps: Deps): Promise<Features> {
  const { config } = deps;
  const pages = await createCopies<Shared>(deps, { of: 'pages', channel: 'pages-changed' });
  const standings = await createCopies<string>(deps, { of: 'standings', channel: 'standings-changed' });
  const sessionCopies = await createCopies<KnownSession | null>(deps, {
    of: 'sessions',
    channel: 'sessions-ended',
  });
  const standing = createStandingService({ ...deps, copies: standings });
  const slots = createSlots(deps);
  const profiles = createProfilesService({ ...deps, standing, pages });
  const sessions = createSessionsService({
    ...deps,
    standing,
    visits: createVisitsService(deps),
    copies: sessionCopies,
  });
  const accounts = createAccountsService({
    ...deps,
    phoneIndex: createPhoneIndex(deps.keys, config.phoneIndexCost),
    sessions,
    profiles,
  });
  const otp = createOtpService({
    ...deps,
    phoneRules: {
      countries: config.smsCountries,
      testCode: (typed) =>
        deps.clock.now() < config.testNumbersUntil ? config.testNumbers.get(typed) : undefined,
    },
    homeCountry: config.smsCountries === 'all' ? 'IN' : (config.smsCountries[0] ?? 'IN'),
    isConversionWatched: config.isConversionWatched,
    limitsScale: config.limitsScale,
    host: config.publicOrigin.hostname,
  });
  const doors = createVentDoors(deps);
  const reactions = createReactionsService({ ...deps, doors });
  const comments = createCommentsService({ ...deps, slots, doors, profiles });
  const reports = createReportsService({ ...deps, doors });
  const own = createOwnVents({ ...deps, slots });
  const vents = createVentsService({ ...deps, slots, own, profiles, doors, reactions, comments, pages });
  const removal = createVentRemoval(deps);
  const leaving = createLeavingService({
    ...deps,
    slots,
    items: { vent: removal, comment: comments },
    pages,
  });
  const since = createSinceService({ ...deps, own, reactionsOf: reactions.mine });
  const matchmaker = createMatchmaker({ ...deps, profiles });
  const matches = createMatchesService({ ...deps, matchmaker, profiles, slots, standing });
  const privacyParts = [
    // First: once somebody is marked as leaving they can write nothing more, so what follows finds everything.
    slotsPrivacy(slots),
    standingPrivacy(standing),
    leavingPrivacy(leaving),
    ventsPrivacy(own),
    commentsPrivacy(comments),
    reactionsPrivacy(),
    reportsPrivacy(),
    matchesPrivacy(matches),
    authPrivacy(deps.db, sessions),
    recoveryPrivacy(deps.db),
    profilesPrivacy({ ...deps, speaksByName: comments.speaksByName }),
  ];
  const privacy = createPrivacyService(privacyParts, sessions);
  const recovery = createRecoveryService({ ...deps, accounts, sessions, profiles, privacy });
  const cookies = createSignInCookies(deps.keys, config.publicOrigin.protocol === 'https:');
  return {
    bindings: [
      ...authRoutes({
        otp,
        accounts,
        sessions,
        smsCountries: config.smsCountries,
        cookies,
        runInBackground: deps.runInBackground,
      }),
      ...profilesRoutes(profiles, matches.findPeer),
      ...ventsRoutes({ vents, since, reactions, comments, reports, pages }),
      ...matchesRoutes(matches),
      ...recoveryRoutes({ recovery, otp, cookies }),
      ...privacyRoutes({ privacy, cookies }),
    ],
    jobs: [
      ...authJobs(sessions, accounts),
      ...recoveryJobs(recovery, accounts),
      ...profilesJobs(profiles),
      ...ventsJobs({ vents, removal, reports, slots }),
      ...leavingJobs(leaving),
      ...matchesJobs(matches),
    ],
    privacyParts,
    sessions,
    standing,
    accounts,
    leaving,
  };
}
