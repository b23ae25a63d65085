import type { IdentityBase } from '../../kernel/base.ts';
import type { SelfUser } from '@unsaid/contract';
import { addDays, daysBetween, today } from '../../platform/clock.ts';
import { transaction, type IdentityDb } from '../../platform/db.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { AppError } from '../../platform/errors.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { nextMonth } from '../../platform/coarse-days.ts';
import { rejectionError } from '../../platform/limiter.ts';
import { openFacts } from '../facts/account-facts.ts';
import { changeFacts } from '../facts/account-facts.queries.ts';
import { lockRecovery, writeRecovery } from '../facts/recovery-facts.queries.ts';
import { rememberFormer } from '../facts/recovery-facts.ts';
import { lockUsers } from '../recovery/recovery.queries.ts';
import { createCodeLimiter } from '../otp/code-limiter.ts';
import type { ProfilesService } from '../profiles/profiles.ts';
import * as queries from './accounts.queries.ts';
import { releasedAfterDays } from './accounts.state.ts';
import { wayIn } from '../ways-in.ts';
import { deviceKey, handOverNumber, newDevice, rememberNumber, type Device } from './devices.ts';
import type { VerifiedNumber } from '../otp/otp.ts';
import type { HeldNumbers } from './held-numbers.ts';
import type { PhoneIndex, PhoneIndexEntry } from './phone-index.ts';
import type { SessionsService } from '../sessions/sessions.ts';
import { rememberedDays } from '../sign-in-cookies.ts';

export interface AccountsDeps extends Pick<IdentityBase, 'db' | 'clock' | 'keys' | 'limiter' | 'seals'> {
  readonly phoneIndex: PhoneIndex;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly heldNumbers: HeldNumbers;
  isSignUpOpen(): boolean;
}

/** The browser of a sign-in. */
export interface Browser {
  readonly device: Device | null;
  readonly userAgent: string;
}

interface SignInRequest extends Browser {
  readonly number: VerifiedNumber;
  readonly addressKey: string;
  readonly networkKey: string;
}

export interface SignedIn {
  readonly token: string;
  readonly user: SelfUser;
  readonly device: Device;
}

/** The account that a number opened. */
interface Found {
  readonly userId: bigint;
  readonly isNewUser: boolean;
  /** This browser has signed in to this account before. */
  readonly isDeviceKnown: boolean;
}

interface NewlySignedIn extends SignedIn, Found {}

export interface AccountsService {
  /** After a correct code: the account of the number, or a new one. No call reveals beforehand which it will be. */
  signIn(request: SignInRequest): Promise<NewlySignedIn>;
  /** The same, but null instead of a new account. */
  signInIfKnown(request: SignInRequest): Promise<NewlySignedIn | null>;
  /** Opens a session for an account that has just received the number of another one. */
  signInAfterTransfer(formerUserId: bigint, userId: bigint, browser: Browser): Promise<SignedIn>;
  /** After a correct code with purpose reauth: does the number belong to the account of the session? */
  ownsNumber(viewer: Viewer, number: VerifiedNumber): Promise<boolean>;
  /** Ends all other sessions. Throws where the number is held, or belongs to another account that was used recently. */
  changeNumber(viewer: Viewer, number: VerifiedNumber): Promise<void>;
  /** Gives the number of one account to another. The first account then has none. */
  transferNumber(tx: IdentityDb, fromUserId: bigint, toUserId: bigint): Promise<void>;
  /** The entry of an account in the index of numbers. */
  findNumber(tx: IdentityDb, userId: bigint): Promise<Buffer>;
  /** For a command of operators. Null where no account has the number. */
  findByNumber(number: VerifiedNumber): Promise<bigint | null>;
  forgetOldDevices(): Promise<void>;
  releaseIdleNumbers(rows: JobRows): Promise<void>;
}

const idlePeople = rowsOf('identity', 'idle people', (id: bigint) => id, 1000);

/** The entry of a number changed between its look-up and its deletion. */
class EntryMovedError extends Error {}

/** Whether somebody else, or a job, wrote the entry of a number first. */
const isNumberRace = (error: unknown): boolean =>
  error instanceof EntryMovedError || isUniqueViolation(error, 'phone_index_pkey');

export function createAccountsService(deps: AccountsDeps): AccountsService {
  const { db, clock, keys, seals, phoneIndex, sessions, profiles, heldNumbers } = deps;
  const codeLimiter = createCodeLimiter(deps.limiter);

  /** The index entry of a number, and the account that it leads to if this service wrote both. */
  async function findHolder(on: IdentityDb, entries: readonly PhoneIndexEntry[]) {
    const stored = await queries.findAccountByPhone(on, entries);
    const facts =
      stored && phoneIndex.isSealed(stored) && openFacts(seals, { id: stored.userId, facts: stored.facts });
    return {
      stored,
      holder: facts ? { ...stored, idleDays: daysBetween(facts.lastSeenOn, today(clock)) } : null,
    };
  }

  async function detach(tx: IdentityDb, userId: bigint): Promise<void> {
    await changeFacts(tx, seals, userId, { detachedOn: today(clock) });
    await queries.deleteDevicesOf(tx, userId);
  }

  /** Takes a number from the account that it no longer opens. Two entries would be two accounts of one number. */
  async function release(
    tx: IdentityDb,
    { stored, holder }: Awaited<ReturnType<typeof findHolder>>,
    entries: readonly PhoneIndexEntry[],
  ): Promise<void> {
    if (!stored) return;
    if (await queries.deletePhoneIndex(tx, stored)) {
      if (holder) await detach(tx, holder.userId);
      return;
    }
    // Another account has it now, or it was rewritten. Otherwise it was deleted.
    if (await queries.findAccountByPhone(tx, entries)) throw new EntryMovedError();
  }

  /** Only after a correct code: before it, nothing may tell whether a number has an account. */
  function assertSignUpOpen(): void {
    if (!deps.isSignUpOpen()) throw new AppError('SIGN_UP_CLOSED');
  }

  const cookieKey = keys.of('device/1');
  const keyOfDevice = (device: Device, userId: bigint) => deviceKey(cookieKey, device.id, userId);

  async function isKnownDevice(device: Device | null, userId: bigint): Promise<boolean> {
    return device !== null && queries.hasDevice(db, keyOfDevice(device, userId));
  }

  /** The account that a number opens on this device, with what was found of the number. */
  async function find({ number, device }: SignInRequest) {
    const entries = await phoneIndex.lookupCandidates(number.phone);
    const [newest] = entries;
    const found = await findHolder(db, entries);
    const { holder } = found;
    if (holder) {
      const isDeviceKnown = await isKnownDevice(device, holder.userId);
      if (wayIn('code', { sms: true, device: isDeviceKnown }, holder).opens === 'at once') {
        if (!holder.idx.equals(newest.idx)) {
          await queries.rewritePhoneIndex(db, holder, phoneIndex.seal(newest, holder.userId));
        }
        return { ...found, entries, userId: holder.userId, isDeviceKnown };
      }
    }
    return { ...found, entries, userId: null, isDeviceKnown: false };
  }

  async function findOrCreate(request: SignInRequest): Promise<Found> {
    const { addressKey, networkKey } = request;
    const { entries, stored, holder, userId: known, isDeviceKnown } = await find(request);
    if (known !== null) return { userId: known, isNewUser: false, isDeviceKnown };
    assertSignUpOpen();
    const [newest] = entries;
    // Proof of work for this budget is required with the next code. Requiring it here would waste a correct code.
    const { rejection } = await codeLimiter.consume(
      [
        { budget: 'newAccountsPerAddress', subject: addressKey },
        { budget: 'newAccountsPerNetwork', subject: networkKey },
      ],
      { powGiven: 'any' },
    );
    if (rejection) throw rejectionError('OTP_RATE_LIMITED', rejection);
    try {
      const userId = await transaction(db, async (tx) => {
        await release(tx, { stored, holder }, entries);
        // After the deletion, which waits for an account that is being deleted.
        await heldNumbers.assertFree(tx, entries);
        const id = await profiles.createBlank(tx);
        await queries.insertPhoneIndex(tx, phoneIndex.seal(newest, id));
        return id;
      });
      return { userId, isNewUser: true, isDeviceKnown: false };
    } catch (error) {
      // Race: another correct code for the same number created the account first, or a job has rewritten the entry.
      if (!isNumberRace(error)) throw error;
      const again = await find(request);
      if (again.userId === null) throw new AppError('TEMPORARILY_UNAVAILABLE');
      return { userId: again.userId, isNewUser: false, isDeviceKnown: again.isDeviceKnown };
    }
  }

  async function open(
    userId: bigint,
    device: Device,
    userAgent: string,
    options?: { readonly isSignUp: boolean },
  ): Promise<SignedIn> {
    const forgetOn = nextMonth(addDays(today(clock), rememberedDays));
    await queries.upsertDevice(db, keyOfDevice(device, userId), userId, forgetOn);
    await profiles.markSeen(userId);
    const token = await sessions.open(userId, userAgent, options);
    return { token, user: await profiles.self(userId), device };
  }

  async function openRemembered(
    { device, number, userAgent }: SignInRequest,
    found: Found,
  ): Promise<NewlySignedIn> {
    const { userId, isNewUser } = found;
    const remembered = rememberNumber(cookieKey, device ?? newDevice(), userId, number.phone);
    return { ...(await open(userId, remembered, userAgent, { isSignUp: isNewUser })), ...found };
  }

  return {
    signIn: async (request) => openRemembered(request, await findOrCreate(request)),

    async signInIfKnown(request) {
      const { userId, isDeviceKnown } = await find(request);
      if (userId === null) assertSignUpOpen();
      return userId === null ? null : openRemembered(request, { userId, isNewUser: false, isDeviceKnown });
    },

    signInAfterTransfer: (formerUserId, userId, { device, userAgent }) =>
      open(userId, handOverNumber(cookieKey, device ?? newDevice(), formerUserId, userId), userAgent),

    async ownsNumber(viewer, number) {
      const { holder } = await findHolder(db, await phoneIndex.lookupCandidates(number.phone));
      return holder?.userId === viewer.userId;
    },

    async changeNumber({ userId, sessionId }, number) {
      const entries = await phoneIndex.lookupCandidates(number.phone);
      await transaction(db, async (tx, afterCommit) => {
        await sessions.endAll(tx, afterCommit, userId, sessionId);
        const { stored, holder } = await findHolder(tx, entries);
        if (holder?.userId === userId) return;
        // It opens its account: only the number of an account that it no longer opens can move.
        if (holder && wayIn('code', { sms: true }, holder).opens === 'at once')
          throw new AppError('NUMBER_TAKEN');
        await release(tx, { stored, holder }, entries);
        await heldNumbers.assertFree(tx, entries);
        const former = await queries.deletePhoneIndexOf(tx, userId);
        await queries.insertPhoneIndex(tx, phoneIndex.seal(entries[0], userId));
        await lockUsers(tx, [userId]);
        const recovery = await lockRecovery(tx, seals, userId);
        if (recovery && former && phoneIndex.isSealed(former))
          await writeRecovery(tx, seals, userId, rememberFormer(recovery, former.idx, today(clock)));
        // With a number again, it is not deleted with those that lost theirs.
        await changeFacts(tx, seals, userId, { numberChangedOn: today(clock), detachedOn: null });
      }).catch((error: unknown) => {
        // Race: another account took the number first.
        throw isNumberRace(error) ? new AppError('NUMBER_TAKEN') : error;
      });
    },

    async transferNumber(tx, fromUserId, toUserId) {
      const entry = await queries.deletePhoneIndexOf(tx, fromUserId);
      if (!entry || !phoneIndex.isSealed(entry)) throw new AppError('UNAUTHENTICATED');
      await queries.deletePhoneIndexOf(tx, toUserId);
      await queries.insertPhoneIndex(tx, phoneIndex.seal(entry, toUserId));
    },

    async findNumber(tx, userId) {
      const entry = await queries.findPhoneIndexOf(tx, userId);
      if (!entry || !phoneIndex.isSealed(entry)) throw new AppError('UNAUTHENTICATED');
      return entry.idx;
    },

    async findByNumber({ phone }) {
      const { holder } = await findHolder(db, await phoneIndex.lookupCandidates(phone));
      return holder?.userId ?? null;
    },

    forgetOldDevices: () => queries.deleteForgottenDevices(db, today(clock)),

    async releaseIdleNumbers(rows) {
      const lastSeenBy = addDays(today(clock), -releasedAfterDays);
      for await (const users of profiles.silentSince(lastSeenBy))
        await rows.eachBatch(
          users.map(({ id }) => id),
          idlePeople,
          (batch) => queries.deletePhoneIndexesOf(db, batch),
        );
    },
  };
}
