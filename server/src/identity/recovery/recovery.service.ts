import type { IdentityBase } from '../../kernel/base.ts';
import { limits } from '@unsaid/contract';
import type { AccountsService } from '../accounts/accounts.service.ts';
import { purgedAfterDays } from '../accounts/accounts.state.ts';
import type { VerifiedNumber } from '../otp/otp.service.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { addDays, today, type Day } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { isPersonRow, type SealedPersonRow } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { rejectionError } from '../../platform/limits/rejection.ts';
import type { StandingService } from '../../kernel/standing.ts';
import type { PrivacySubject } from '../../kernel/privacy-registry.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import { randomRecoveryCode, readRecoveryCode } from './recovery.code.ts';
import { createOfferCodec } from './recovery.offer.ts';
import { openFacts } from '../facts/account-facts.ts';
import { changeFacts, requireFacts } from '../facts/account-facts.queries.ts';
import { readDay, writeDay } from '../facts/facts-codec.ts';
import * as queries from './recovery.queries.ts';

/** Account recovery by a code on paper, and change of number. */
export interface RecoveryService {
  /** The day the code was confirmed; null without one. */
  codeDay(userId: bigint): Promise<Day | null>;
  /** A new code that is not valid yet, and the proof that makes it valid. Stores nothing. */
  offerCode(viewer: Viewer): Promise<{ readonly code: string; readonly proof: string }>;
  /** Makes an offered code valid in place of the one it replaces. Confirming it again has no effect. */
  confirmCode(viewer: Viewer, proof: string): Promise<Day>;
  /**
   * Moves the viewer's number to the account of the code, and returns that account. The viewer's current one is then due
   * for erasure.
   */
  moveNumber(viewer: Viewer, code: string): Promise<bigint>;
  /** Throws without a second proof of identity: a recent reauth, or the recovery code. */
  requireReauth(viewer: Viewer, recoveryCode: string | undefined): Promise<void>;
  changeNumber(viewer: Viewer, number: VerifiedNumber): Promise<void>;
  /** Accounts whose time is over: without a number for too long, or not seen for too long. */
  listForgotten(): AsyncIterable<PrivacySubject>;
}

interface RecoveryDeps extends Pick<IdentityBase, 'db' | 'clock' | 'keys' | 'limiter' | 'persons' | 'seals'> {
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly standing: StandingService;
}

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { db, clock, limiter, persons, seals, accounts, sessions, profiles, standing } = deps;
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

  /** Null for input that is no code. */
  function keyOfCode(typed: string): Buffer | null {
    const code = readRecoveryCode(typed);
    return code === null ? null : seals.lookupKey('recovery', code);
  }

  async function findCode(userId: bigint) {
    const row = await queries.findCode(db, userId);
    if (!row || !seals.fits('recovery', row.seal, row.codeKey, userId)) return null;
    const facts = seals.decryptFacts('recovery', userId, row.facts);
    return facts && { codeKey: row.codeKey, madeOn: readDay(facts, 0) };
  }

  function encryptDay(userId: bigint, madeOn: Day): Buffer {
    const facts = Buffer.alloc(2);
    writeDay(facts, madeOn, 0);
    return seals.encryptFacts('recovery', userId, facts);
  }

  const recoverableSince = () => addDays(today(clock), -limits.recoverableDays);

  return {
    codeDay: async (userId) => (await findCode(userId))?.madeOn ?? null,

    async offerCode(viewer) {
      await consumeBudget(viewer);
      const valid = await findCode(viewer.userId);
      const stored = valid ?? (await queries.findCode(db, viewer.userId));
      // Reauth, because a recovery code made in an unattended session would be permanent access. Sign-up is exempt: it
      // has just verified a code.
      const isFirst = valid === null && (await sessions.isSigningUp(viewer));
      if (!isFirst && !(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      const code = randomRecoveryCode();
      const codeKey = keyOfCode(code);
      if (!codeKey) throw new Error('generated recovery code failed its own check');
      const expiresAt = clock.now() + limits.recoveryConfirmMinutes * 60_000;
      const offer = { codeKey, replaces: stored?.codeKey ?? null, expiresAt };
      return { code, proof: offers.seal(offer, viewer) };
    },

    async confirmCode(viewer, proof) {
      const offer = offers.open(proof, viewer);
      if (!offer) throw new AppError('REAUTH_REQUIRED');
      const { codeKey, replaces } = offer;
      const madeOn = today(clock);
      const seal = seals.seal('recovery', codeKey, viewer.userId);
      const isInTime = clock.now() < offer.expiresAt;
      const code = { codeKey, seal, facts: encryptDay(viewer.userId, madeOn), replaces };
      if (isInTime && (await queries.replaceCode(db, viewer.userId, code))) return madeOn;
      // The same request, sent again because its response was lost.
      const valid = await findCode(viewer.userId);
      if (!valid?.codeKey.equals(codeKey)) throw new AppError('REAUTH_REQUIRED');
      return valid.madeOn;
    },

    async moveNumber(viewer, code) {
      await consumeBudget(viewer);
      await refuseExcluded(viewer);
      const codeKey = keyOfCode(code);
      if (!codeKey) throw new AppError('RECOVERY_INVALID');
      return transaction(db, async (tx) => {
        const row = await queries.consumeRecoveryCode(tx, codeKey);
        const oldId = row?.userId ?? viewer.userId;
        if (oldId === viewer.userId || !seals.fits('recovery', row?.seal ?? null, codeKey, oldId))
          throw new AppError('RECOVERY_INVALID');
        // Only a recent account may be erased in favour of the recovered one.
        const { createdOn } = await requireFacts(tx, seals, viewer.userId);
        if (createdOn < recoverableSince()) throw new AppError('NUMBER_TAKEN');
        await accounts.transferNumber(tx, viewer.userId, oldId);
        await changeFacts(tx, seals, oldId, { detachedOn: null });
        // If the process ends before the erasure, the nightly purge finds this day and completes it.
        await changeFacts(tx, seals, viewer.userId, { detachedOn: recoverableSince() });
        return oldId;
      });
    },

    async requireReauth(viewer, recoveryCode) {
      if (recoveryCode === undefined) {
        if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
        return;
      }
      await consumeBudget(viewer);
      const codeKey = keyOfCode(recoveryCode);
      if (!codeKey || !(await findCode(viewer.userId))?.codeKey.equals(codeKey))
        throw new AppError('RECOVERY_INVALID');
    },

    async changeNumber(viewer, number) {
      await refuseExcluded(viewer);
      await accounts.changeNumber(viewer.userId, number);
      await sessions.revokeOthers(viewer);
    },

    async *listForgotten() {
      // With a copied seed in a row, the words of another person would be removed.
      const subjects = (rows: readonly SealedPersonRow[]) =>
        rows
          .filter((row) => isPersonRow(row, seals))
          .map((row) => ({ userId: row.id, person: persons(row) }));
      const detached = (await queries.listDetached(db)).filter((row) => {
        const day = openFacts(seals, row)?.detachedOn ?? null;
        return day !== null && day <= recoverableSince();
      });
      yield* subjects(detached);
      const lastSeenBy = addDays(today(clock), -purgedAfterDays);
      for await (const users of profiles.silentSince(lastSeenBy)) yield* subjects(users);
    },
  };
}
