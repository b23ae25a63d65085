import type { IdentityBase } from '../../kernel/base.ts';
import { limits, type AccountEvent, type FirstVisit } from '@unsaid/contract';
import type { AccountsService } from '../accounts/accounts.ts';
import type { HeldNumbers } from '../accounts/held-numbers.ts';
import { purgedAfterDays } from '../accounts/accounts.state.ts';
import type { VerifiedNumber } from '../otp/otp.ts';
import type { SessionsService } from '../sessions/sessions.ts';
import { addDays, dayOf, daysBetween, hourMs, today, type Day } from '../../platform/clock.ts';
import { transaction, type AfterCommit, type IdentityDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { isPersonRow, type SealedPersonRow } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { rejectionError } from '../../platform/limiter.ts';
import type { StandingService } from '../../kernel/standing.ts';
import type { PrivacySubject } from '../../kernel/privacy-registry.ts';
import type { ProfilesService } from '../profiles/profiles.ts';
import { randomRecoveryCode, readRecoveryCode } from './recovery-code.ts';
import { createOfferCodec } from './recovery-offer.ts';
import { openFacts } from '../facts/account-facts.ts';
import { changeFacts, findFacts, requireFacts } from '../facts/account-facts.queries.ts';
import {
  isFormerNumber,
  replaceCode,
  replacedLately,
  runningWait,
  type Recovery,
  type Wait,
} from '../facts/recovery-facts.ts';
import * as codes from '../facts/recovery-facts.queries.ts';
import { wayIn } from '../ways-in.ts';
import * as queries from './recovery.queries.ts';

/** Account recovery by a code on paper, and change of number. */
export interface RecoveryService {
  /** The day the code was confirmed, and the day on which one was replaced or cancelled; null without one. */
  describe(userId: bigint): Promise<{ readonly madeOn: Day | null; readonly replacedOn: Day | null }>;
  /** A new code that is not valid yet, and the proof that makes it valid. Stores nothing. */
  offerCode(viewer: Viewer): Promise<{ readonly code: string; readonly proof: string }>;
  /** Makes an offered code valid in place of the one it replaces. Confirming it again has no effect. */
  confirmCode(viewer: Viewer, proof: string): Promise<Day>;
  /**
   * Cancels the valid code, and so stops a recovery that waits with it. The code still works with the former number, if that
   * was changed in the last days.
   */
  cancelCodes(viewer: Viewer): Promise<void>;
  /**
   * Moves the viewer's number to the account of the code, and returns that account. The viewer's current one is then due
   * for erasure. The first call throws RECOVERY_WAITS, and the same call works after the wait, unless the owner stopped it.
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
  listForgotten(): AsyncIterable<PrivacySubject[]>;
}

interface RecoveryDeps extends Pick<IdentityBase, 'db' | 'clock' | 'keys' | 'limiter' | 'persons' | 'seals'> {
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly heldNumbers: HeldNumbers;
  readonly standing: StandingService;
}

const noCodes: Recovery = { code: null, replaced: null, wait: null, former: null };

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { db, clock, limiter, persons, seals, accounts, sessions, profiles, heldNumbers, standing } = deps;
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
  async function changeCodes(userId: bigint, change: (recovery: Recovery) => Recovery): Promise<void> {
    await transaction(db, async (tx) => {
      await queries.lockUsers(tx, [userId]);
      const recovery = (await codes.lockRecovery(tx, seals, userId)) ?? noCodes;
      await codes.writeRecovery(tx, seals, userId, change(recovery));
    });
  }

  /** The code that a key is of, also one that was replaced or cancelled lately, or that is waited with. */
  function findCode(recovery: Recovery, key: Buffer, isAwaited: boolean) {
    if (recovery.code?.key.equals(key)) return { isReplaced: false };
    const replaced = isAwaited ? recovery.replaced : replacedLately(recovery, today(clock));
    return replaced?.key.equals(key) ? { isReplaced: true } : null;
  }

  const daysSince = (day: Day) => daysBetween(day, today(clock));
  const isLately = (day: Day | null, days: number): day is Day => day !== null && daysSince(day) <= days;

  /**
   * Until when the number that a code takes away is held: that of a suspended person must not open a new account at once.
   * Read before the transaction, from another schema.
   */
  async function holdUntil(key: Buffer): Promise<Day | null> {
    const row = await queries.findPersonRow(db, (await codes.findOwnerOfCode(db, key)) ?? -1n);
    return row && isPersonRow(row, seals) ? heldNumbers.releaseDay(persons(row)) : null;
  }

  async function moveOrWait(
    tx: IdentityDb,
    afterCommit: AfterCommit,
    viewer: Viewer,
    { key, heldUntil }: { readonly key: Buffer; readonly heldUntil: Day | null },
  ): Promise<bigint | Wait> {
    const ownerId = (await codes.findOwnerOfCode(tx, key)) ?? -1n;
    await queries.lockUsers(tx, [viewer.userId, ownerId]);
    const old = (await codes.lockRecovery(tx, seals, ownerId)) ?? noCodes;
    const now = clock.now();
    const before = runningWait(old, now);
    const isWaiting = before?.askerId === viewer.userId;
    // Only a recent account may be erased in favour of the recovered one. Whether the code works is not told before that.
    const { createdOn } = await requireFacts(tx, seals, viewer.userId);
    if (!isWaiting && createdOn < recoverableSince()) throw new AppError('NUMBER_TAKEN');
    const code = findCode(old, key, isWaiting && before.isByReplaced);
    if (!code || ownerId === viewer.userId) throw new AppError('RECOVERY_INVALID');
    // A wait that the number cannot stop, nobody else can either, not with a newer code.
    if (before?.isFinal && !isWaiting) throw new AppError('RECOVERY_INVALID');
    const number = await accounts.findNumber(tx, viewer.userId);
    const isOfFormerNumber = isWaiting ? before.isFinal : isFormerNumber(old, number, today(clock));
    const account = { isPaperReplaced: code.isReplaced, isNumberChanged: isOfFormerNumber };
    const { opens, stoppedBy } = wayIn('recoveryCode', { paper: true, formerSms: isOfFormerNumber }, account);
    if (opens === 'no') throw new AppError('RECOVERY_INVALID');
    if (!(isWaiting && now >= before.opensAt)) {
      if (isWaiting) return before;
      const wait = {
        askerId: viewer.userId,
        opensAt: Math.ceil((now + limits.recoveryWaitHours * hourMs) / hourMs) * hourMs,
        isByReplaced: code.isReplaced,
        isFinal: stoppedBy === 'nothing',
      };
      // The one write to a row of another person, who has proven a code of it (docs/adr/0007).
      await codes.writeRecovery(tx, seals, ownerId, { ...old, wait });
      return wait;
    }
    await codes.writeRecovery(tx, seals, ownerId, noCodes);
    if (heldUntil) await heldNumbers.hold(tx, ownerId, heldUntil);
    await accounts.transferNumber(tx, viewer.userId, ownerId);
    await sessions.endAll(tx, afterCommit, ownerId);
    const day = today(clock);
    await changeFacts(tx, seals, ownerId, { detachedOn: null, recoveredOn: day, numberChangedOn: null });
    // If the process ends before the erasure, the nightly purge finds this day and completes it.
    await changeFacts(tx, seals, viewer.userId, { detachedOn: recoverableSince() });
    return ownerId;
  }

  const recoverableSince = () => addDays(today(clock), -limits.recoverableDays);

  return {
    async describe(userId) {
      const recovery = await findCodes(userId);
      const replaced = replacedLately(recovery, today(clock));
      return { madeOn: recovery.code?.madeOn ?? null, replacedOn: replaced?.replacedOn ?? null };
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
        return replaceCode(recovery, { key: codeKey, madeOn }, clock.now());
      });
      return madeOn;
    },

    async cancelCodes(viewer) {
      if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
      await changeCodes(viewer.userId, (recovery) => {
        const wait = runningWait(recovery, clock.now());
        if (wait?.isFinal) throw new AppError('NUMBER_TOO_NEW');
        return replaceCode(recovery, null, clock.now());
      });
    },

    async moveNumber(viewer, code) {
      await consumeBudget(viewer);
      await refuseExcluded(viewer);
      const key = keyOfCode(code);
      if (!key) throw new AppError('RECOVERY_INVALID');
      const asked = { key, heldUntil: await holdUntil(key) };
      const result = await transaction(db, (tx, afterCommit) => moveOrWait(tx, afterCommit, viewer, asked));
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
        // Not one that was replaced: its owner may have cancelled it because somebody else has it.
        paper = key !== null && (await findCodes(viewer.userId)).code?.key.equals(key) === true;
      }
      if (wayIn('changedNumber', { ...held, paper }).opens === 'no')
        throw new AppError(recoveryCode === undefined ? 'REAUTH_REQUIRED' : 'RECOVERY_INVALID');
    },

    async changeNumber(viewer, number) {
      await refuseExcluded(viewer);
      await accounts.changeNumber(viewer, number);
    },

    async listEvents(userId) {
      const [facts, recovery] = await Promise.all([findFacts(db, seals, userId), findCodes(userId)]);
      const { code, replaced } = recovery;
      const wait = runningWait(recovery, clock.now());
      const asked = wait && addDays(dayOf(wait.opensAt), -limits.recoveryWaitHours / 24);
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
      const hasCode = recovery.code !== null;
      // The one that was just opened is not another.
      const otherSessions = visits.sessions - 1;
      return hasCode || otherSessions > 0
        ? { since: facts.createdOn.slice(0, 7), hasCode, otherSessions }
        : null;
    },

    async *listForgotten() {
      // With a copied seed in a row, the words of another person would be removed.
      async function subjects(rows: readonly SealedPersonRow[]): Promise<PrivacySubject[]> {
        const found: PrivacySubject[] = [];
        for (const row of rows) {
          // Somebody has a code of it, and waits.
          const isWaitedFor = runningWait(await findCodes(row.id), clock.now()) !== null;
          if (isPersonRow(row, seals) && !isWaitedFor) found.push({ userId: row.id, person: persons(row) });
        }
        return found;
      }
      const detached = (await queries.listDetached(db)).filter((row) => {
        const day = openFacts(seals, row)?.detachedOn ?? null;
        return day !== null && day <= recoverableSince();
      });
      yield await subjects(detached);
      const lastSeenBy = addDays(today(clock), -purgedAfterDays);
      for await (const users of profiles.silentSince(lastSeenBy)) yield await subjects(users);
    },
  };
}
