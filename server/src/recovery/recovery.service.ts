import { limits } from '@unsaid/contract';
import type { AccountsService, Browser, SignedIn } from '../auth/accounts.service.ts';
import { purgedAfterDays } from '../auth/accounts.state.ts';
import type { VerifiedNumber } from '../auth/otp.service.ts';
import type { SessionsService } from '../auth/sessions.service.ts';
import { addDays, today, type Clock, type Day } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import { refusalError, type Limiter } from '../platform/limiter.ts';
import type { Persons } from '../platform/persons.ts';
import type { PrivacyService } from '../privacy/privacy.service.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import { drawRecoveryCode, hashRecoveryCode } from './recovery.code.ts';
import * as queries from './recovery.queries.ts';

/** The ways to an account other than its number: a code on paper, and another number. */
export interface RecoveryService {
  /** The day the code was made; null where there is none. */
  codeDay(viewer: Viewer): Promise<Day | null>;
  makeCode(viewer: Viewer): Promise<{ readonly code: string; readonly madeOn: Day }>;
  /** The account of the code, under the number of the one who asks; theirs goes. */
  bringBack(viewer: Viewer, code: string, browser: Browser): Promise<SignedIn>;
  /** Throws unless they have proven to be themselves otherwise than by their session. */
  insistOnProof(viewer: Viewer, recoveryCode: string | undefined): Promise<void>;
  changeNumber(viewer: Viewer, number: VerifiedNumber): Promise<void>;
  purgeForgotten(): Promise<void>;
}

interface RecoveryDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly persons: Persons;
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly privacy: PrivacyService;
}

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { db, clock, limiter, persons, accounts, sessions, profiles, privacy } = deps;

  async function takeBudget(viewer: Viewer): Promise<void> {
    const refusal = await limiter.takeFromBuckets([
      { budget: 'recoveries', subject: viewer.countedAs('recoveries') },
    ]);
    if (refusal) throw refusalError('RATE_LIMITED', refusal);
  }

  const oldestThatMayGo = () => addDays(today(clock), -limits.broughtBackDays);

  return {
    codeDay: (viewer) => queries.findCodeDay(db.identity, viewer.userId),

    async makeCode(viewer) {
      await takeBudget(viewer);
      // Somebody at an open session could otherwise make themselves a lasting way in. Whoever is signing up has just
      // answered a code, and nothing must stand in the way of that.
      const isFirst =
        (await sessions.isSigningUp(viewer)) &&
        (await queries.findCodeDay(db.identity, viewer.userId)) === null;
      if (!isFirst && !(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      const code = drawRecoveryCode();
      const codeSha256 = hashRecoveryCode(code);
      if (!codeSha256) throw new Error('a code that is none was drawn');
      const madeOn = today(clock);
      await queries.putRecoveryCode(db.identity, viewer.userId, codeSha256, madeOn);
      return { code, madeOn };
    },

    async bringBack(viewer, code, browser) {
      await takeBudget(viewer);
      const codeSha256 = hashRecoveryCode(code);
      if (!codeSha256) throw new AppError('RECOVERY_INVALID');
      const userId = await transaction(db.identity, async (tx) => {
        const oldId = await queries.takeRecoveryCode(tx, codeSha256);
        if (oldId === null || oldId === viewer.userId) throw new AppError('RECOVERY_INVALID');
        // An account that somebody has lived with is not thrown away for another.
        const createdOn = await queries.findCreatedOn(tx, viewer.userId);
        if (createdOn === null) throw new AppError('UNAUTHENTICATED');
        if (createdOn < oldestThatMayGo()) throw new AppError('NUMBER_TAKEN');
        await accounts.takeNumberOf(tx, viewer.userId, oldId);
        await queries.setDetachedOn(tx, oldId, null);
        // Should the process end before it has let go of the other one, the night does it.
        await queries.setDetachedOn(tx, viewer.userId, oldestThatMayGo());
        return oldId;
      });
      await sessions.revokeAll(userId);
      await privacy.erase(viewer);
      return accounts.openInPlaceOf(viewer.userId, userId, browser);
    },

    async insistOnProof(viewer, recoveryCode) {
      if (recoveryCode === undefined) {
        if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
        return;
      }
      await takeBudget(viewer);
      const codeSha256 = hashRecoveryCode(recoveryCode);
      if (!codeSha256 || !(await queries.isCodeOf(db.identity, viewer.userId, codeSha256)))
        throw new AppError('RECOVERY_INVALID');
    },

    async changeNumber(viewer, number) {
      await accounts.moveNumber(viewer.userId, number);
      await sessions.revokeOthers(viewer);
    },

    async purgeForgotten() {
      const erase = async (rows: readonly { id: bigint; authorSeed: Buffer; speakerId: Buffer }[]) => {
        for (const row of rows) await privacy.erase({ userId: row.id, person: persons(row) });
      };
      await erase(await queries.listDetachedBy(db.identity, oldestThatMayGo()));
      const lastSeenBy = addDays(today(clock), -purgedAfterDays);
      for await (const span of profiles.everybody())
        await erase(await queries.listLastSeenBy(db.identity, lastSeenBy, span));
    },
  };
}
