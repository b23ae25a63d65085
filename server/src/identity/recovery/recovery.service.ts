import type { IdentityBase } from '../../kernel/base.ts';
import { limits, type AccountEvent, type FirstVisit } from '@unsaid/contract';
import type { AccountsService } from '../accounts/accounts.service.ts';
import { purgedAfterDays } from '../accounts/accounts.state.ts';
import type { VerifiedNumber } from '../otp/otp.service.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { addDays, dayMs, hourMs, startOfDay, today, type Day } from '../../platform/clock.ts';
import { transaction, type IdentityDb } from '../../platform/db.ts';
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
import { changeFacts, findFacts, requireFacts } from '../facts/account-facts.queries.ts';
import {
  replaceCode,
  replacedUntil,
  runningWait,
  type Recovery,
  type Wait,
} from '../facts/recovery-facts.ts';
import * as codes from '../facts/recovery-facts.queries.ts';
import { wayIn } from '../ways-in.ts';
import * as queries from './recovery.queries.ts';

/** Account recovery by a code on paper, and change of number. */
export interface RecoveryService {
  /** The day the code was confirmed, and the day before which a replaced one works; null without one. */
  describe(userId: bigint): Promise<{ readonly madeOn: Day | null; readonly replacedUntil: Day | null }>;
  /** A new code that is not valid yet, and the proof that makes it valid. Stores nothing. */
  offerCode(viewer: Viewer): Promise<{ readonly code: string; readonly proof: string }>;
  /** Makes an offered code valid in place of the one it replaces. Confirming it again has no effect. */
  confirmCode(viewer: Viewer, proof: string): Promise<Day>;
  /** Stops a recovery that waits. Codes work for some more days, so that their owner can still use them. */
  cancelCodes(viewer: Viewer): Promise<void>;
  /**
   * Moves the viewer's number to the account of the code, and returns that account. The viewer's current one is then due
   * for erasure. Throws RECOVERY_WAITS if the account is in use.
   */
  moveNumber(viewer: Viewer, code: string): Promise<bigint>;
  /** Throws without a second proof of identity: a recent reauth, or the recovery code. */
  requireReauth(viewer: Viewer, recoveryCode: string | undefined): Promise<void>;
  changeNumber(viewer: Viewer, number: VerifiedNumber): Promise<void>;
  /** What happened to the account itself in the last 30 days. */
  listEvents(userId: bigint): Promise<{ readonly event: AccountEvent; readonly day: Day }[]>;
  /** What a person on a new device is asked about an account that somebody else may use. Null if there is no sign of it. */
  firstVisit(userId: bigint): Promise<FirstVisit | null>;
  /** Accounts whose time is over: without a number for too long, or not seen for too long. */
  listForgotten(): AsyncIterable<PrivacySubject>;
}

interface RecoveryDeps extends Pick<IdentityBase, 'db' | 'clock' | 'keys' | 'limiter' | 'persons' | 'seals'> {
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly standing: StandingService;
}

const noCodes: Recovery = { code: null, replaced: null, wait: null };

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

  const findCodes = async (userId: bigint) => (await codes.findRecovery(db, seals, userId)) ?? noCodes;

  /** Changes the codes of an account, one caller after the other: a first code has no row that could be locked. */
  async function changeCodes(
    userId: bigint,
    change: (recovery: Recovery, tx: IdentityDb) => Promise<Recovery> | Recovery,
  ): Promise<void> {
    await transaction(db, async (tx) => {
      await queries.lockUser(tx, userId);
      const recovery = (await codes.lockRecovery(tx, seals, userId)) ?? noCodes;
      await codes.writeRecovery(tx, seals, userId, await change(recovery, tx));
    });
  }

  /** The code that a key is of, if it works. */
  function findWorking(recovery: Recovery, key: Buffer, asker?: bigint) {
    const { code, replaced } = recovery;
    if (code?.key.equals(key)) return { ...code, isReplaced: false };
    // Whoever has begun to wait with a replaced code ends with it.
    const wait = runningWait(recovery, clock.now());
    const isAwaited = wait?.isByReplaced === true && wait.askerId === asker;
    const works = replacedUntil(recovery, today(clock)) !== null || isAwaited;
    return replaced?.key.equals(key) && works ? { ...replaced, isReplaced: true } : null;
  }

  const daysSince = (day: Day) => (startOfDay(today(clock)) - startOfDay(day)) / dayMs;
  const isLately = (day: Day | null, days: number): day is Day => day !== null && daysSince(day) <= days;

  /**
   * What a code opens: the account now, or a wait. Visits of today are in Redis; without it the call fails, because an
   * account that is in use must not open.
   */
  async function enterBy(tx: IdentityDb, userId: bigint, madeOn: Day) {
    const facts = await requireFacts(tx, seals, userId);
    const { day } = await sessions.lastVisit(userId);
    const lastSeenOn = day !== null && day > facts.lastSeenOn ? day : facts.lastSeenOn;
    const { numberChangedOn } = facts;
    return wayIn(
      'recoveryCode',
      { paper: true },
      {
        idleDays: daysSince(lastSeenOn),
        isNumberNewerThanPaper:
          isLately(numberChangedOn, limits.replacedCodeDays) && madeOn <= numberChangedOn,
      },
    );
  }

  /** Who waits, from now on. A newer code does not put off who waits with an older one. */
  function startWait(before: Wait | null, wanted: Omit<Wait, 'opensAt'>): Wait {
    if (before?.isByReplaced && !wanted.isByReplaced) throw new AppError('RECOVERY_INVALID');
    const earliest = clock.now() + limits.recoveryWaitHours * hourMs;
    return { ...wanted, opensAt: Math.ceil(earliest / hourMs) * hourMs };
  }

  async function moveOrWait(tx: IdentityDb, viewer: Viewer, key: Buffer): Promise<bigint | Wait> {
    const old = await codes.lockRecoveryByKey(tx, seals, key);
    const code = old && findWorking(old, key, viewer.userId);
    if (!code || old.userId === viewer.userId) throw new AppError('RECOVERY_INVALID');
    // Only a recent account may be erased in favour of the recovered one.
    const { createdOn } = await requireFacts(tx, seals, viewer.userId);
    if (createdOn < recoverableSince()) throw new AppError('NUMBER_TAKEN');
    const { opens, stoppedBy } = await enterBy(tx, old.userId, code.madeOn);
    if (opens === 'after a wait') {
      const before = runningWait(old, clock.now());
      const isWaiting = before?.askerId === viewer.userId;
      if (!isWaiting || clock.now() < before.opensAt) {
        const asked = {
          askerId: viewer.userId,
          isByReplaced: code.isReplaced,
          isFinal: stoppedBy === 'nothing',
        };
        const wait = isWaiting ? before : startWait(before, asked);
        // The one write to a row of another person, who has proven a code of it (docs/adr/0007).
        if (!isWaiting) await codes.writeRecovery(tx, seals, old.userId, { ...old, wait });
        return wait;
      }
    }
    await codes.writeRecovery(tx, seals, old.userId, noCodes);
    await accounts.transferNumber(tx, viewer.userId, old.userId);
    const day = today(clock);
    await changeFacts(tx, seals, old.userId, { detachedOn: null, recoveredOn: day, numberChangedOn: null });
    // If the process ends before the erasure, the nightly purge finds this day and completes it.
    await changeFacts(tx, seals, viewer.userId, { detachedOn: recoverableSince() });
    return old.userId;
  }

  const recoverableSince = () => addDays(today(clock), -limits.recoverableDays);

  return {
    async describe(userId) {
      const recovery = await findCodes(userId);
      const until = replacedUntil(recovery, today(clock));
      return { madeOn: recovery.code?.madeOn ?? null, replacedUntil: until };
    },

    async offerCode(viewer) {
      await consumeBudget(viewer);
      const { code: valid } = await findCodes(viewer.userId);
      // Reauth, because a recovery code made in an unattended session would be lasting access. Sign-up is exempt: it
      // has just verified a code.
      const isFirst = valid === null && (await sessions.isSigningUp(viewer));
      if (!isFirst && !(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      const code = randomRecoveryCode();
      const codeKey = keyOfCode(code);
      if (!codeKey) throw new Error('generated recovery code failed its own check');
      const expiresAt = clock.now() + limits.recoveryConfirmMinutes * 60_000;
      const offer = { codeKey, replaces: valid?.key ?? null, expiresAt };
      return { code, proof: offers.seal(offer, viewer) };
    },

    async confirmCode(viewer, proof) {
      const offer = offers.open(proof, viewer);
      if (!offer) throw new AppError('REAUTH_REQUIRED');
      const { codeKey, replaces } = offer;
      let madeOn = today(clock);
      await changeCodes(viewer.userId, (recovery) => {
        const { code } = recovery;
        if (code?.key.equals(codeKey)) {
          // The same request, sent again because its response was lost.
          madeOn = code.madeOn;
          return recovery;
        }
        const isInTime = clock.now() < offer.expiresAt;
        const isCurrent = code === null ? replaces === null : replaces?.equals(code.key);
        if (!isInTime || !isCurrent) throw new AppError('REAUTH_REQUIRED');
        return replaceCode(recovery, { key: codeKey, madeOn }, madeOn);
      });
      return madeOn;
    },

    async cancelCodes(viewer) {
      if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      await changeCodes(viewer.userId, (recovery) => {
        if (runningWait(recovery, clock.now())?.isFinal) throw new AppError('NUMBER_TOO_NEW');
        return { ...replaceCode(recovery, null, today(clock)), wait: null };
      });
    },

    async moveNumber(viewer, code) {
      await consumeBudget(viewer);
      await refuseExcluded(viewer);
      const key = keyOfCode(code);
      if (!key) throw new AppError('RECOVERY_INVALID');
      const result = await transaction(db, (tx) => moveOrWait(tx, viewer, key));
      if (typeof result === 'bigint') return result;
      throw new AppError('RECOVERY_WAITS', { opensAt: new Date(result.opensAt).toISOString() });
    },

    async requireReauth(viewer, recoveryCode) {
      const held = {
        session: true,
        sms: recoveryCode === undefined && (await sessions.isReauthenticated(viewer)),
      };
      let paper = false;
      if (recoveryCode !== undefined) {
        await consumeBudget(viewer);
        const key = keyOfCode(recoveryCode);
        paper = key !== null && findWorking(await findCodes(viewer.userId), key) !== null;
      }
      if (wayIn('changedNumber', { ...held, paper }, { idleDays: 0 }).opens === 'no')
        throw new AppError(recoveryCode === undefined ? 'REAUTH_REQUIRED' : 'RECOVERY_INVALID');
    },

    async changeNumber(viewer, number) {
      await refuseExcluded(viewer);
      await accounts.changeNumber(viewer.userId, number);
      await sessions.revokeOthers(viewer);
    },

    async listEvents(userId) {
      const [facts, recovery] = await Promise.all([findFacts(db, seals, userId), findCodes(userId)]);
      const { code, replaced } = recovery;
      const wait = runningWait(recovery, clock.now());
      const asked =
        wait && addDays(new Date(wait.opensAt).toISOString().slice(0, 10), -limits.recoveryWaitHours / 24);
      const events: [AccountEvent, Day | null | undefined][] = [
        ['recovery_asked', asked],
        [replaced ? 'code_replaced' : 'code_made', code?.madeOn],
        ['code_cancelled', code ? null : replaced?.replacedOn],
        ['recovered', facts?.recoveredOn],
        ['number_changed', facts?.numberChangedOn],
      ];
      return events.flatMap(([event, day]) =>
        isLately(day ?? null, limits.accountEventDays) ? [{ event, day: day ?? '' }] : [],
      );
    },

    async firstVisit(userId) {
      const [facts, recovery, visits] = await Promise.all([
        requireFacts(db, seals, userId),
        findCodes(userId),
        sessions.lastVisit(userId),
      ]);
      const hasCode = recovery.code !== null || replacedUntil(recovery, today(clock)) !== null;
      // The one that was just opened is not another.
      const otherSessions = visits.sessions - 1;
      return hasCode || otherSessions > 0
        ? { since: facts.createdOn.slice(0, 7), hasCode, otherSessions }
        : null;
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
