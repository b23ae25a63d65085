import { agreementsPrivacy } from './agreements/agreements.privacy.ts';
import { agreementsRoutes } from './agreements/agreements.routes.ts';
import { createAgreementsService } from './agreements/agreements.service.ts';
import { accountsJobs } from './auth/accounts/accounts.jobs.ts';
import { createAccountsService, type AccountsService } from './auth/accounts/accounts.service.ts';
import { authPrivacy } from './auth/auth.privacy.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { createOtpService } from './auth/otp/otp.service.ts';
import { createHeldNumbers } from './auth/accounts/held-numbers.service.ts';
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
import { createChoicesBox } from './choices/choices-box.ts';
import { choicesPrivacy } from './choices/choices.privacy.ts';
import { choicesRoutes } from './choices/choices.routes.ts';
import { createChoicesService } from './choices/choices.service.ts';
import { createChoicesStore, type CachedHiding } from './choices/choices.store.ts';
import { commentsPrivacy } from './comments/comments.privacy.ts';
import { commentsRoutes } from './comments/comments.routes.ts';
import { createCommentsService } from './comments/comments.service.ts';
import { createCommentModeration } from './comments/comment-moderation.service.ts';
import { createShutOutKey } from './comments/shut-outs.ts';
import type { Deps } from './deps.ts';
import { grievanceRoutes } from './grievance/grievance.routes.ts';
import { inboxRoutes } from './inbox/inbox.routes.ts';
import { createInboxService } from './inbox/inbox.service.ts';
import { leavingJobs } from './leaving/leaving.jobs.ts';
import { leavingPrivacy } from './leaving/leaving.privacy.ts';
import { createLeavingService, type LeavingService } from './leaving/leaving.service.ts';
import { liveRoutes } from './live/live.routes.ts';
import { createLiveService, type LiveService } from './live/live.service.ts';
import { createDecisionsService } from './matches/decisions.service.ts';
import { createFinalPairs } from './matches/final-pairs.service.ts';
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
import { slotsPrivacy } from './slots/slots.privacy.ts';
import { slotsJobs } from './slots/slots.jobs.ts';
import { createSlots } from './slots/slots.service.ts';
import { createCloseKey } from './moderation/authors.ts';
import { buildModeration, type Moderation } from './moderation/moderation.feature.ts';
import {
  createStandingService,
  type CachedSanction,
  type StandingService,
} from './moderation/notices/standing.service.ts';
import { createAuthoredVents } from './vents/authored-vents.service.ts';
import { createVentDeletions } from './vents/deletions.service.ts';
import { createFeedService, type FeedPage } from './vents/feed.service.ts';
import { createIdempotency } from './vents/idempotency.service.ts';
import { createVentAccess } from './vents/vent-access.service.ts';
import { createVentModeration } from './vents/vent-moderation.service.ts';
import { createVentLoader } from './vents/vent-loader.service.ts';
import { ventsJobs } from './vents/vents.jobs.ts';
import { ventsPrivacy } from './vents/vents.privacy.ts';
import { ventsRoutes } from './vents/vents.routes.ts';
import { createVentsService } from './vents/vents.service.ts';
import { profilesJobs } from './profiles/profiles.jobs.ts';
import { profilesPrivacy } from './profiles/profiles.privacy.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { createProfileModeration } from './profiles/profile-moderation.service.ts';
import { createProfilesService } from './profiles/profiles.service.ts';

/** Former names of jobs. */
export const retiredJobs = ['let-go-of-numbers', 'purge-old-reports', 'sample-search-words'];

/** Every feature, wired in plain order. A new one adds its lines here and nowhere else. */
export interface Features {
  readonly bindings: readonly Binding[];
  /** Registered by the moderation service alone. */
  readonly consoleBindings: readonly Binding[];
  readonly jobs: readonly Job[];
  readonly privacyParts: readonly PrivacyPart[];
  readonly sessions: SessionsService;
  readonly standing: StandingService;
  /** For tests. */
  readonly effects: Moderation['effects'];
  readonly staffCases: Moderation['staffCases'];
  readonly accounts: AccountsService;
  readonly leaving: LeavingService;
  readonly moderators: Moderation['moderators'];
  readonly live: { readonly tickets: LiveTickets; readonly sources: LiveService['sources'] };
}

export async function buildFeatures(deps: Deps): Promise<Features> {
  const { config } = deps;
  const feedCache = await createLocalCache<FeedPage>(deps, { name: 'feed', channel: 'pages-changed' });
  const standingCache = await createLocalCache<readonly CachedSanction[]>(deps, {
    name: 'standing',
    channel: 'standings-changed',
  });
  const sessionCache = await createLocalCache<ResolvedSession | null>(deps, {
    name: 'sessions',
    channel: 'sessions-ended',
  });
  const choicesCache = await createLocalCache<CachedHiding>(deps, {
    name: 'choices',
    channel: 'choices-changed',
    // Most people have none, and a query for that at every page would slow the feed.
    ttlMs: 60_000,
  });
  const sessionEnds = await createSessionEnds(deps);
  const standing = createStandingService({ ...deps, cache: standingCache });
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
  const heldNumbers = createHeldNumbers({ ...deps, standing });
  const agreements = createAgreementsService(deps);
  const accounts = createAccountsService({
    ...deps,
    heldNumbers,
    agreements,
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
  const choicesStore = createChoicesStore({
    ...deps,
    box: createChoicesBox(deps.keys),
    cache: choicesCache,
  });
  const shutOutKey = createShutOutKey(deps.keys);
  const comments = createCommentsService({
    ...deps,
    slots,
    access,
    idempotency,
    profiles,
    choices: choicesStore,
    shutOutKey,
    closeKey: createCloseKey(deps.speakers, shutOutKey),
  });
  const authored = createAuthoredVents({ ...deps, slots });
  const loader = createVentLoader({ ...deps, reactions, comments, choices: choicesStore });
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
  const moderation = buildModeration({
    ...deps,
    standing,
    vents: createVentModeration({ ...deps, feedCache }),
    comments: createCommentModeration({ ...deps, access }),
    profiles: createProfileModeration({ ...deps, feedCache }),
    findPeer: matchHistory.findPeer,
  });
  const leaving = createLeavingService({
    ...deps,
    slots,
    items: { vent: deletions, comment: comments },
    holds: moderation.holds,
    feedCache,
  });
  const finalPairs = createFinalPairs({ ...deps, pairKeys, cipher, pairs, profiles, slots });
  const choices = createChoicesService({
    ...deps,
    store: choicesStore,
    access,
    comments,
    finalPairs,
    profiles,
  });
  const inbox = createInboxService({
    ...deps,
    authored,
    comments,
    reactions,
    matchHistory,
    notices: moderation.notices,
    choices: choicesStore,
  });
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
    moderation.privacyPart,
    leavingPrivacy(leaving),
    ventsPrivacy(authored),
    commentsPrivacy(comments),
    reactionsPrivacy(),
    choicesPrivacy(choices),
    matchesPrivacy(matchHistory, pairMaintenance),
    authPrivacy(deps.db, sessions),
    recoveryPrivacy(deps.db),
    agreementsPrivacy(deps.db),
    profilesPrivacy({ ...deps, heldNumbers, speaksByName: comments.hasNamedComment }),
  ];
  const privacy = createPrivacyService(privacyParts, sessions);
  const recovery = createRecoveryService({ ...deps, accounts, sessions, profiles, privacy, standing });
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
      ...choicesRoutes(choices),
      ...matchesRoutes({ suggestions, decisions, history: matchHistory }),
      ...moderation.bindings,
      ...inboxRoutes(inbox),
      ...recoveryRoutes({ recovery, otp, cookies }),
      ...privacyRoutes({ privacy, cookies }),
      ...liveRoutes(live),
      ...grievanceRoutes(config.grievanceOfficer),
      ...agreementsRoutes(agreements),
    ],
    consoleBindings: moderation.consoleBindings,
    jobs: [
      ...sessionsJobs(sessions),
      ...accountsJobs(accounts, heldNumbers),
      ...recoveryJobs(recovery),
      ...profilesJobs(profiles),
      ...ventsJobs({ db: deps.db, deletions, idempotency }),
      ...slotsJobs(slots),
      ...leavingJobs(leaving),
      ...matchesJobs(pairMaintenance, suggestions),
      ...moderation.jobs,
    ],
    privacyParts,
    sessions,
    standing,
    effects: moderation.effects,
    staffCases: moderation.staffCases,
    accounts,
    leaving,
    moderators: moderation.moderators,
    live: { tickets: liveTickets, sources: live.sources },
  };
}
