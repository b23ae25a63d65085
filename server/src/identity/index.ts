import type { Feature, IdentityBase } from '../kernel/base.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { StandingService } from '../kernel/standing.ts';
import { createLocalCache } from '../platform/local-cache.ts';
import type { SmsDelivery } from '../platform/sms/delivery.ts';
import { createAccountsService } from './accounts/accounts.ts';
import { createJoinProofs } from './accounts/join-proofs.ts';
import { createHeldNumbers } from './accounts/held-numbers.ts';
import { createPhoneIndex } from './accounts/phone-index.ts';
import { agreementsRoutes } from './agreements/agreements.routes.ts';
import { createAgreementsService } from './agreements/agreements.service.ts';
import { authPrivacy } from './identity.privacy.ts';
import { authRoutes } from './sign-in.routes.ts';
import { createChoicesBox } from './choices/choices-box.ts';
import { choicesPrivacy } from './choices/choices.privacy.ts';
import { createChoicesStore, type CachedHiding } from './choices/choices.ts';
import { identityJobs } from './identity.jobs.ts';
import { createOtpService, type OtpSettings } from './otp/otp.ts';
import { createProfileModeration } from './profiles/profile-moderation.ts';
import { profilesPrivacy } from './profiles/profiles.privacy.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { createProfilesService } from './profiles/profiles.ts';
import { recoveryPrivacy } from './recovery/recovery.privacy.ts';
import { recoveryRoutes } from './recovery/recovery.routes.ts';
import { createRecoveryService } from './recovery/recovery.ts';
import { createLastSeenService } from './sessions/last-seen.ts';
import { createSessionEnds } from './sessions/session-ends.ts';
import { createSessionsService, type ResolvedSession } from './sessions/sessions.ts';
import { createSignInCookies } from './sign-in-cookies.ts';

interface IdentityPorts {
  readonly sms: SmsDelivery;
  isSignUpOpen(): boolean;
  readonly standing: StandingService;
  /** Cached pages contain names and avatars. */
  onNamesChanged(): Promise<void>;
  /** A person wants no comments any more: those of their vents that others have yet to see are closed too. */
  onCommentsClosed(person: Person): Promise<void>;
}

interface IdentitySettings extends OtpSettings {
  readonly phoneIndexCost: number;
}

export type Identity = Awaited<ReturnType<typeof createIdentity>>;

/** Accounts, sign-in and profiles: everything in the schema identity. */
export async function createIdentity(base: IdentityBase, ports: IdentityPorts, settings: IdentitySettings) {
  const { db, keys, publicIds, runInBackground } = base;
  const { standing, onNamesChanged, onCommentsClosed } = ports;
  const sessionEnds = await createSessionEnds(base);
  const profiles = createProfilesService({ ...base, standing, onNamesChanged, onCommentsClosed });
  const sessions = createSessionsService({
    ...base,
    standing,
    lastSeen: createLastSeenService(base),
    cache: await createLocalCache<ResolvedSession | null>(base, {
      name: 'sessions',
      channel: 'sessions-ended',
    }),
    ends: sessionEnds,
  });
  const heldNumbers = createHeldNumbers({ ...base, standing });
  const agreements = createAgreementsService(base);
  const accounts = createAccountsService({
    ...base,
    heldNumbers,
    phoneIndex: createPhoneIndex(base, settings.phoneIndexCost),
    sessions,
    profiles,
    isSignUpOpen: ports.isSignUpOpen,
  });
  const otp = createOtpService({ ...base, sms: ports.sms, settings });
  const choices = createChoicesStore({
    db,
    box: createChoicesBox(keys),
    cache: await createLocalCache<CachedHiding>(base, {
      name: 'choices',
      channel: 'choices-changed',
      // Most people have none, and a query for that at every page would slow the feed.
      ttlMs: 60_000,
    }),
  });
  const recovery = createRecoveryService({ ...base, accounts, sessions, profiles, heldNumbers, standing });
  const cookies = createSignInCookies(keys, settings.publicOrigin.protocol === 'https:');
  return {
    accounts,
    choices,
    cookies,
    /** Gives the account of a number a name of the team. False where no account has the number. */
    async nameTeam(typedNumber: string, name: string): Promise<boolean> {
      const userId = await accounts.findByNumber(otp.readNumber(typedNumber));
      if (userId !== null) await profiles.setTeamName(userId, name);
      return userId !== null;
    },
    profileModeration: createProfileModeration({ ...base, onNamesChanged }),
    profiles,
    recovery,
    sessionEnds,
    sessions,
    bindings: [
      ...authRoutes({
        otp,
        accounts,
        joinProofs: createJoinProofs(base),
        sessions,
        recovery,
        smsCountries: settings.smsCountries,
        cookies,
        runInBackground,
      }),
      ...profilesRoutes(profiles),
      ...recoveryRoutes({ recovery, otp, cookies }),
      ...agreementsRoutes(agreements),
    ],
    jobs: identityJobs({ sessions, accounts, heldNumbers, profiles }),
    privacy: [
      choicesPrivacy(choices, publicIds),
      authPrivacy(db, sessions),
      recoveryPrivacy(recovery),
      // Last: it deletes the account.
      profilesPrivacy({ ...base, heldNumbers }),
    ],
  } satisfies Feature & Record<string, unknown>;
}
