import { accountsJobs } from './auth/accounts/accounts.jobs.ts';
import { createAccountsService, type AccountsService } from './auth/accounts/accounts.service.ts';
import { authPrivacy } from './auth/auth.privacy.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { createOtpService } from './auth/otp/otp.service.ts';
import { createPhoneIndex } from './auth/accounts/phone-index.ts';
import { sessionsJobs } from './auth/sessions/sessions.jobs.ts';
import { createSignInCookies } from './auth/sign-in-cookies.ts';
import {
  createSessionsService,
  type ResolvedSession,
  type SessionsService,
} from './auth/sessions/sessions.service.ts';
import { createLastSeenService } from './auth/sessions/last-seen.service.ts';
import { createSessionEnds } from './auth/sessions/session-ends.ts';
import { commentsPrivacy } from './comments/comments.privacy.ts';
import { commentsRoutes } from './comments/comments.routes.ts';
import { createCommentsService } from './comments/comments.service.ts';
import type { Deps } from './deps.ts';
import { inboxRoutes } from './inbox/inbox.routes.ts';
import { createInboxService } from './inbox/inbox.service.ts';
import { leavingJobs } from './leaving/leaving.jobs.ts';
import { leavingPrivacy } from './leaving/leaving.privacy.ts';
import { createLeavingService, type LeavingService } from './leaving/leaving.service.ts';
import { liveRoutes } from './live/live.routes.ts';
import { createLiveService, type LiveService } from './live/live.service.ts';
import { createDecisionsService } from './matches/decisions.service.ts';
import { createMatchHistoryService } from './matches/match-history.service.ts';
import { matchesJobs } from './matches/matches.jobs.ts';
import { matchesPrivacy } from './matches/matches.privacy.ts';
import { matchesRoutes } from './matches/matches.routes.ts';
import { createMatchmaker } from './matches/matchmaker.service.ts';
import { createPairCipher } from './matches/pair-details.ts';
import { createPairMaintenance } from './matches/pair-maintenance.service.ts';
import { createPairKeys } from './matches/pair-keys.ts';
import { createPairReader } from './matches/pair-reader.service.ts';
import { createSuggestionsService } from './matches/suggestions.service.ts';
import { createLocalCache } from './platform/local-cache.ts';
import type { Binding } from './platform/http/bind.ts';
import type { Job } from './platform/jobs.ts';
import { createLiveTickets, type LiveTickets } from './platform/live/tickets.ts';
import type { PrivacyPart } from './privacy/privacy.registry.ts';
import { privacyRoutes } from './privacy/privacy.routes.ts';
import { createPrivacyService } from './privacy/privacy.service.ts';
import { reactionsPrivacy } from './reactions/reactions.privacy.ts';
import { reactionsRoutes } from './reactions/reactions.routes.ts';
import { createReactionsService } from './reactions/reactions.service.ts';
import { recoveryJobs } from './recovery/recovery.jobs.ts';
import { recoveryPrivacy } from './recovery/recovery.privacy.ts';
import { recoveryRoutes } from './recovery/recovery.routes.ts';
import { createRecoveryService } from './recovery/recovery.service.ts';
import { reportsJobs } from './reports/reports.jobs.ts';
import { reportsPrivacy } from './reports/reports.privacy.ts';
import { reportsRoutes } from './reports/reports.routes.ts';
import { createReportsService } from './reports/reports.service.ts';
import { slotsPrivacy } from './slots/slots.privacy.ts';
import { slotsJobs } from './slots/slots.jobs.ts';
import { createSlots } from './slots/slots.service.ts';
import { standingPrivacy } from './standing/standing.privacy.ts';
import { createStandingService, type StandingService } from './standing/standing.service.ts';
import { createAuthoredVents } from './vents/authored-vents.service.ts';
import { createVentDeletions } from './vents/deletions.service.ts';
import { createFeedService, type FeedPage } from './vents/feed.service.ts';
import { createIdempotency } from './vents/idempotency.service.ts';
import { createVentAccess } from './vents/vent-access.service.ts';
import { createVentLoader } from './vents/vent-loader.service.ts';
import { ventsJobs } from './vents/vents.jobs.ts';
import { ventsPrivacy } from './vents/vents.privacy.ts';
import { ventsRoutes } from './vents/vents.routes.ts';
import { createVentsService } from './vents/vents.service.ts';
import { profilesJobs } from './profiles/profiles.jobs.ts';
import { profilesPrivacy } from './profiles/profiles.privacy.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { createProfilesService } from './profiles/profiles.service.ts';

/** Former names of jobs. */
export const retiredJobs = ['let-go-of-numbers'];

/** Every feature, wired in plain order. A new one adds its lines here and nowhere else. */
export interface Features {
  readonly bindings: readonly Binding[];
  readonly jobs: readonly Job[];
  readonly privacyParts: readonly PrivacyPart[];
  readonly sessions: SessionsService;
  readonly standing: StandingService;
  readonly accounts: AccountsService;
  readonly leaving: LeavingService;
  readonly live: { readonly tickets: LiveTickets; readonly sources: LiveService['sources'] };
}

export async function buildFeatures(deps: Deps): Promise<Features> {
  const { config } = deps;
  const feedCache = await createLocalCache<FeedPage>(deps, { name: 'feed', channel: 'pages-changed' });
  const suspensionCache = await createLocalCache<string>(deps, {
    name: 'suspensions',
    channel: 'standings-changed',
  });
  const sessionCache = await createLocalCache<ResolvedSession | null>(deps, {
    name: 'sessions',
    channel: 'sessions-ended',
  });
  const sessionEnds = await createSessionEnds(deps);
  const standing = createStandingService({ ...deps, cache: suspensionCache });
  const slots = createSlots(deps);
  const profiles = createProfilesService({ ...deps, standing, feedCache });
  const sessions = createSessionsService({
    ...deps,
    standing,
    lastSeen: createLastSeenService({
      ...deps,
      // Called at night, long after the parts below exist.
      nightlyTables: () => privacyParts.flatMap((part) => part.rewriteNightly ?? []),
    }),
    cache: sessionCache,
    ends: sessionEnds,
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
  const access = createVentAccess({ ...deps, feedCache });
  const idempotency = createIdempotency(deps);
  const reactions = createReactionsService({ ...deps, access });
  const comments = createCommentsService({ ...deps, slots, access, idempotency, profiles });
  const reports = createReportsService({ ...deps, access });
  const authored = createAuthoredVents({ ...deps, slots });
  const loader = createVentLoader({ ...deps, reactions, comments });
  const feed = createFeedService({ ...deps, authored, loader, feedCache });
  const vents = createVentsService({
    ...deps,
    slots,
    profiles,
    idempotency,
    authored,
    loader,
    feedCache,
  });
  const deletions = createVentDeletions(deps);
  const leaving = createLeavingService({
    ...deps,
    slots,
    items: { vent: deletions, comment: comments },
    feedCache,
  });
  const matchmaker = createMatchmaker({ ...deps, profiles });
  const cipher = createPairCipher(deps.keys);
  const pairKeys = createPairKeys(deps.keys);
  const pairs = createPairReader({ ...deps, pairKeys, cipher, profiles });
  const suggestions = createSuggestionsService({
    ...deps,
    pairKeys,
    cipher,
    pairs,
    matchmaker,
    profiles,
    slots,
    standing,
  });
  const decisions = createDecisionsService({ ...deps, pairKeys, cipher, pairs, profiles });
  const matchHistory = createMatchHistoryService({ ...deps, pairKeys, pairs, profiles });
  const inbox = createInboxService({ ...deps, authored, comments, reactions, matchHistory });
  const pairMaintenance = createPairMaintenance({ ...deps, pairKeys });
  const liveTickets = createLiveTickets(deps);
  const live = createLiveService({
    ...deps,
    sessions,
    sessionEnds,
    tickets: liveTickets,
    pace: config.live,
    unread: inbox,
    newestVentAt: feed.newestAt,
  });
  const privacyParts: readonly PrivacyPart[] = [
    // First: a person marked as leaving can write nothing more, so the parts below find everything.
    slotsPrivacy(slots),
    standingPrivacy(standing),
    leavingPrivacy(leaving),
    ventsPrivacy(authored),
    commentsPrivacy(comments),
    reactionsPrivacy(),
    reportsPrivacy(),
    matchesPrivacy(matchHistory, pairMaintenance),
    authPrivacy(deps.db, sessions),
    recoveryPrivacy(deps.db),
    profilesPrivacy({ ...deps, speaksByName: comments.hasNamedComment }),
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
      ...profilesRoutes(profiles, matchHistory.findPeer),
      ...ventsRoutes({ vents, feed, authored }),
      ...reactionsRoutes(reactions),
      ...commentsRoutes(comments),
      ...reportsRoutes(reports),
      ...matchesRoutes({ suggestions, decisions, history: matchHistory }),
      ...inboxRoutes(inbox),
      ...recoveryRoutes({ recovery, otp, cookies }),
      ...privacyRoutes({ privacy, cookies }),
      ...liveRoutes(live),
    ],
    jobs: [
      ...sessionsJobs(sessions),
      ...accountsJobs(accounts),
      ...recoveryJobs(recovery),
      ...profilesJobs(profiles),
      ...ventsJobs({ feed, deletions, idempotency }),
      ...reportsJobs(reports),
      ...slotsJobs(slots),
      ...leavingJobs(leaving),
      ...matchesJobs(pairMaintenance, suggestions),
    ],
    privacyParts,
    sessions,
    standing,
    accounts,
    leaving,
    live: { tickets: liveTickets, sources: live.sources },
  };
}
