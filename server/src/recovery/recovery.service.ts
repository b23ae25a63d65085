import { limits } from '@unsaid/contract';
import type { AccountsService, Browser, SignedIn } from '../auth/accounts/accounts.service.ts';
import { purgedAfterDays } from '../auth/accounts/accounts.state.ts';
import type { VerifiedNumber } from '../auth/otp/otp.service.ts';
import type { SessionsService } from '../auth/sessions/sessions.service.ts';
import { addDays, today, type Clock, type Day } from '../platform/clock.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Limiter } from '../platform/limiter.ts';
import { rejectionError } from '../platform/limits/rejection.ts';
import type { Persons } from '../pseudonyms/person-keys.ts';
import type { StandingService } from '../moderation/notices/standing.service.ts';
import type { PrivacyService } from '../privacy/privacy.service.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import { randomRecoveryCode, hashRecoveryCode } from './recovery.code.ts';
import { createOfferCodec } from './recovery.offer.ts';
import * as queries from './recovery.queries.ts';

/** Account recovery by a code on paper, and change of number. */
export interface RecoveryService {
  /** The day the code was confirmed; null without one. */
  codeDay(viewer: Viewer): Promise<Day | null>;
  /** A new code that is not valid yet, and the proof that makes it valid. Stores nothing. */
  offerCode(viewer: Viewer): Promise<{ readonly code: string; readonly proof: string }>;
  /** Makes an offered code valid in place of the one it replaces. Confirming it again has no effect. */
  confirmCode(viewer: Viewer, proof: string): Promise<Day>;
  /** Opens the account of the code under the viewer's number. The viewer's current account is erased. */
  recoverAccount(viewer: Viewer, code: string, browser: Browser): Promise<SignedIn>;
  /** Throws without a second proof of identity: a recent reauth, or the recovery code. */
  requireReauth(viewer: Viewer, recoveryCode: string | undefined): Promise<void>;
  changeNumber(viewer: Viewer, number: VerifiedNumber): Promise<void>;
  purgeForgotten(): Promise<void>;
}

interface RecoveryDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly limiter: Limiter;
  readonly persons: Persons;
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly privacy: PrivacyService;
  readonly standing: StandingService;
}

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { db, clock, limiter, persons, accounts, sessions, profiles, privacy, standing } = deps;
  const offers = createOfferCodec(deps.keys);

  async function consumeBudget(viewer: Viewer): Promise<void> {
    const rejection = await limiter.consumeBuckets([
      { budget: 'recoveries', subject: viewer.rateLimitKey('recoveries') },
    ]);
    if (rejection) throw rejectionError('RATE_LIMITED', rejection);
  }

  /**
   * The suspended cannot call at all. A suspension that has yet to start is on a notice already: the number could be
   * moved away before, and open a new account at once.
   */
  async function refuseExcluded({ person }: Viewer): Promise<void> {
    if (await standing.findExclusion(person)) throw new AppError('ACCOUNT_SUSPENDED');
  }

  const recoverableSince = () => addDays(today(clock), -limits.recoverableDays);

  return {
    async codeDay(viewer) {
      return (await queries.findCode(db.identity, viewer.userId))?.madeOn ?? null;
    },

    async offerCode(viewer) {
      await consumeBudget(viewer);
      const valid = await queries.findCode(db.identity, viewer.userId);
      // Reauth, because a recovery code made in an unattended session would be permanent access. Sign-up is exempt: it
      // has just verified a code.
      const isFirst = valid === null && (await sessions.isSigningUp(viewer));
      if (!isFirst && !(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      const code = randomRecoveryCode();
      const codeSha256 = hashRecoveryCode(code);
      if (!codeSha256) throw new Error('generated recovery code failed its own check');
      const expiresAt = clock.now() + limits.recoveryConfirmMinutes * 60_000;
      const offer = { codeSha256, replaces: valid?.codeSha256 ?? null, expiresAt };
      return { code, proof: offers.seal(offer, viewer) };
    },

    async confirmCode(viewer, proof) {
      const offer = offers.open(proof, viewer);
      if (!offer) throw new AppError('REAUTH_REQUIRED');
      const { codeSha256, replaces } = offer;
      const madeOn = today(clock);
      const isInTime = clock.now() < offer.expiresAt;
      if (
        isInTime &&
        (await queries.replaceCode(db.identity, viewer.userId, { codeSha256, replaces, madeOn }))
      )
        return madeOn;
      // The same request, sent again because its response was lost.
      const valid = await queries.findCode(db.identity, viewer.userId);
      if (!valid?.codeSha256.equals(codeSha256)) throw new AppError('REAUTH_REQUIRED');
      return valid.madeOn;
    },

    async recoverAccount(viewer, code, browser) {
      await consumeBudget(viewer);
      await refuseExcluded(viewer);
      const codeSha256 = hashRecoveryCode(code);
      if (!codeSha256) throw new AppError('RECOVERY_INVALID');
      const userId = await transaction(db.identity, async (tx) => {
        const oldId = await queries.consumeRecoveryCode(tx, codeSha256);
        if (oldId === null || oldId === viewer.userId) throw new AppError('RECOVERY_INVALID');
        // Only a recent account may be erased in favour of the recovered one.
        const createdOn = await queries.findCreatedOn(tx, viewer.userId);
        if (createdOn === null) throw new AppError('UNAUTHENTICATED');
        if (createdOn < recoverableSince()) throw new AppError('NUMBER_TAKEN');
        await accounts.transferNumber(tx, viewer.userId, oldId);
        await queries.setDetachedOn(tx, oldId, null);
        // If the process ends before the erasure below, the nightly purge finds this day and completes it.
        await queries.setDetachedOn(tx, viewer.userId, recoverableSince());
        return oldId;
      });
      await sessions.revokeAll(userId);
      await privacy.erase(viewer);
      return accounts.signInAfterTransfer(viewer.userId, userId, browser);
    },

    async requireReauth(viewer, recoveryCode) {
      if (recoveryCode === undefined) {
        if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
        return;
      }
      await consumeBudget(viewer);
      const codeSha256 = hashRecoveryCode(recoveryCode);
      if (!codeSha256 || !(await queries.hasRecoveryCode(db.identity, viewer.userId, codeSha256)))
        throw new AppError('RECOVERY_INVALID');
    },

    async changeNumber(viewer, number) {
      await refuseExcluded(viewer);
      await accounts.changeNumber(viewer.userId, number);
      await sessions.revokeOthers(viewer);
    },

    async purgeForgotten() {
      const erase = async (rows: readonly { id: bigint; authorSeed: Buffer; speakerId: Buffer }[]) => {
        for (const row of rows) await privacy.erase({ userId: row.id, person: persons(row) });
      };
      await erase(await queries.listDetachedBy(db.identity, recoverableSince()));
      const lastSeenBy = addDays(today(clock), -purgedAfterDays);
      for await (const span of profiles.userRanges())
        await erase(await queries.listLastSeenBy(db.identity, lastSeenBy, span));
    },
  };
}
