import type { Feature, IdentityBase } from '../kernel/base.ts';
import { createLocalCache } from '../platform/local-cache.ts';
import { findUserByNumber } from './accounts/numbers.ts';
import { createPhoneIndex } from './accounts/phone-index.ts';
import { signInAfterTransfer } from './accounts/sign-in.ts';
import * as choices from './choices/choices.ts';
import type { IdentityContext, IdentityPorts, IdentitySettings } from './context.ts';
import { identityJobs } from './identity.jobs.ts';
import { identityPrivacy } from './identity.privacy.ts';
import { withCeiling } from './otp/code-budgets.ts';
import { createCodeLimiter } from './otp/code-limiter.ts';
import { createSpendingAlerts } from './otp/otp.metrics.ts';
import { createOtpStore } from './otp/otp.store.ts';
import { readNumber } from './otp/otp.ts';
import { createConversionStore } from './otp/sms-conversion.store.ts';
import * as people from './profiles/people.ts';
import * as moderation from './profiles/profile-moderation.ts';
import { findProfile, setTeamName } from './profiles/profiles.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { listEvents, listForgotten, moveNumber } from './recovery/recovery.ts';
import { recoveryRoutes } from './recovery/recovery.routes.ts';
import { areSessionsOpen, authenticate, authenticateByKey } from './sessions/authenticate.ts';
import { createSessionEnds } from './sessions/session-ends.ts';
import { isReauthenticated, markReauthenticated } from './sessions/session-flags.ts';
import { startSession } from './sessions/sessions.ts';
import { createVisitStore } from './sessions/visits.store.ts';
import { deviceOf, forgetAccountOn, setDevice } from './sign-in-cookies.ts';
import { signInRoutes } from './sign-in.routes.ts';

export type { Browser } from './accounts/sign-in.ts';
export { choicesView } from './choices/choices.ts';
export { registerDevOutbox } from './otp/dev-outbox.ts';
export { registerAvatars } from './profiles/avatars.ts';

export type Identity = Awaited<ReturnType<typeof createIdentity>>;

/** Accounts, sign-in and profiles: everything in the schema identity. */
export async function createIdentity(base: IdentityBase, ports: IdentityPorts, settings: IdentitySettings) {
  const ctx: IdentityContext = {
    ...base,
    ports,
    settings,
    phoneIndex: createPhoneIndex(base, settings.phoneIndexCost),
    codeLimiter: createCodeLimiter(base.limiter, withCeiling(settings.smsCeiling)),
    challenges: createOtpStore(base),
    conversion: settings.isConversionWatched ? createConversionStore(base, settings.limitsScale) : null,
    spendingAlerts: createSpendingAlerts(base.logger),
    sessionEnds: await createSessionEnds(base),
    sessionCache: await createLocalCache(base, { name: 'sessions', channel: 'sessions-ended' }),
    visits: createVisitStore(base),
    hidingCache: await createLocalCache(base, {
      name: 'choices',
      channel: 'choices-changed',
      // Most people have none, and a query for that at every page would slow the feed.
      ttlMs: 60_000,
    }),
    readSealedChoices: choices.createChoicesReader(base.db),
  };
  /** A function as others call it: without the context. */
  const bound =
    <Input extends unknown[], Result>(run: (ctx: IdentityContext, ...input: Input) => Result) =>
    (...input: Input) =>
      run(ctx, ...input);
  return {
    bindings: [...signInRoutes(ctx), ...profilesRoutes(ctx), ...recoveryRoutes(ctx)],
    jobs: identityJobs(ctx),
    privacy: identityPrivacy(ctx),
    /** Gives the account of a number a name of the team. False where no account has the number. */
    async nameTeam(typedNumber: string, name: string): Promise<boolean> {
      const userId = await findUserByNumber(ctx, readNumber(ctx, typedNumber));
      if (userId !== null) await setTeamName(ctx, userId, name);
      return userId !== null;
    },
    accounts: { signInAfterTransfer: bound(signInAfterTransfer) },
    choices: {
      find: bound(choices.findChoices),
      findHiding: bound(choices.findHiding),
      findHidden: bound(choices.findHidden),
      update: bound(choices.updateChoices),
    },
    cookies: { device: bound(deviceOf), setDevice: bound(setDevice), forget: bound(forgetAccountOn) },
    profiles: {
      byId: bound(findProfile),
      names: bound(people.namesOf),
      introductions: bound(people.introductionsOf),
      namesOfSpeakers: bound(people.namesOfSpeakers),
      findUserBySpeaker: bound(people.findUserBySpeaker),
      allowsComments: bound(people.allowsComments),
      matchFacts: bound(people.findMatchFacts),
      candidates: bound(people.findCandidates),
      seenSince: bound(people.seenSince),
    },
    profileModeration: {
      read: bound(moderation.readReportedProfile),
      listExisting: bound(moderation.listExistingProfiles),
      ageInDays: bound(moderation.accountAgeInDays),
      findBySpeaker: bound(moderation.findPersonBySpeaker),
      findTexts: bound(moderation.findTexts),
      clear: bound(moderation.clearTexts),
      restore: bound(moderation.restoreTexts),
    },
    recovery: {
      moveNumber: bound(moveNumber),
      listEvents: bound(listEvents),
      listForgotten: bound(listForgotten),
    },
    sessionEnds: ctx.sessionEnds,
    sessions: {
      open: bound(startSession),
      authenticate: bound(authenticate),
      findByKey: bound(authenticateByKey),
      areOpen: bound(areSessionsOpen),
      markReauthenticated: bound(markReauthenticated),
      isReauthenticated: bound(isReauthenticated),
    },
  } satisfies Feature & Record<string, unknown>;
}
