import type { SelfUser } from '@unsaid/contract';
import { addDays, dayMs, startOfDay, today, type Clock, type Day } from '../platform/clock.ts';
import { isUniqueViolation, transaction, type Databases, type IdentityDb } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Keys } from '../platform/keys.ts';
import { refusalError, type Limiter } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import * as queries from './accounts.queries.ts';
import { letGoAfterDays, mayTakeNumberFrom, whoseAccount } from './accounts.state.ts';
import { deviceKey, deviceLabel, handOverNumber, newDevice, rememberNumber, type Device } from './devices.ts';
import type { VerifiedNumber } from './otp.service.ts';
import type { PhoneIndex } from './phone-index.ts';
import type { SessionsService } from './sessions.service.ts';
import { rememberedDays } from './sign-in-cookies.ts';

export interface AccountsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly limiter: Limiter;
  readonly logger: Logger;
  readonly phoneIndex: PhoneIndex;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
}

/** The browser somebody signs in with. */
export interface Browser {
  readonly device: Device | null;
  readonly userAgent: string;
}

interface Arrival extends Browser {
  readonly number: VerifiedNumber;
  readonly addressKey: string;
}

export interface SignedIn {
  readonly token: string;
  readonly user: SelfUser;
  readonly device: Device;
}

export interface AccountsService {
  /** After a right code: the account of the number, or a new one. Nobody can ask beforehand which it will be. */
  signIn(arrival: Arrival): Promise<SignedIn & { readonly isNewUser: boolean }>;
  /** A session for an account that has just been given the number of another one. */
  openInPlaceOf(formerUserId: bigint, userId: bigint, browser: Browser): Promise<SignedIn>;
  /** After a right code with purpose reauth: is this the number of the account that holds the session? */
  ownsNumber(viewer: Viewer, number: VerifiedNumber): Promise<boolean>;
  /** From now on a person signs in with this number. Throws where somebody else does, and has been here lately. */
  moveNumber(userId: bigint, number: VerifiedNumber): Promise<void>;
  /** The same for the number of another account, which then has none. */
  takeNumberOf(tx: IdentityDb, fromUserId: bigint, toUserId: bigint): Promise<void>;
  forgetOldDevices(): Promise<void>;
  letGoOfNumbers(): Promise<void>;
  /** Puts the newest key around every row that does without it. Gives how many. */
  wrapNumbers(): Promise<number>;
}

const wrapBatch = 1000;

export function createAccountsService(deps: AccountsDeps): AccountsService {
  const { db, clock, keys, limiter, logger, phoneIndex, sessions, profiles } = deps;

  const idleDays = (lastSeenOn: Day) => (startOfDay(today(clock)) - startOfDay(lastSeenOn)) / dayMs;
  const cookieKey = keys.lasting('device/1');
  const keyOfDevice = (device: Device, userId: bigint) => deviceKey(cookieKey, device.id, userId);

  /** Whoever cannot find everybody would give somebody a second account. */
  async function insistOnEveryKey(tx: IdentityDb): Promise<void> {
    const missing = (await queries.listPhoneKeys(tx)).filter((id) => !phoneIndex.keyIds.includes(id));
    if (missing.length === 0) return;
    logger.error({ event: 'key_missing', count: missing.length });
    throw new AppError('TEMPORARILY_UNAVAILABLE');
  }

  async function isKnownDevice(device: Device | null, userId: bigint): Promise<boolean> {
    return device !== null && queries.hasDevice(db.identity, keyOfDevice(device, userId));
  }

  async function findOrCreate({
    number,
    device,
    addressKey,
  }: Arrival): Promise<{ userId: bigint; isNewUser: boolean }> {
    const entries = await phoneIndex.entriesOf(number.phone);
    const [newest] = entries;
    const holder = await queries.findHolder(db.identity, entries);
    if (holder) {
      const meeting = {
        idleDays: idleDays(holder.lastSeenOn),
        isKnownDevice: await isKnownDevice(device, holder.userId),
      };
      if (whoseAccount(meeting) === 'theirs') {
        if (!holder.idx.equals(newest.idx)) {
          await transaction(db.identity, async (tx) => {
            await queries.addPhoneKey(tx, newest.keyId);
            await queries.rewritePhoneIndex(tx, holder, newest);
          });
        }
        return { userId: holder.userId, isNewUser: false };
      }
    }
    // Work for it is due with the next code that is asked for; to ask now would cost somebody theirs.
    const { refusal } = await limiter.takeFromWindows(
      [{ budget: 'newAccountsPerAddress', subject: addressKey }],
      { done: 'any' },
    );
    if (refusal) {
      throw refusalError('OTP_RATE_LIMITED', refusal);
    }
    try {
      const userId = await transaction(db.identity, async (tx) => {
        await insistOnEveryKey(tx);
        if (holder && (await queries.deletePhoneIndex(tx, holder)))
          await queries.detachUser(tx, holder.userId, today(clock));
        const id = await profiles.createBlank(tx);
        await queries.insertPhoneIndex(tx, newest, id);
        return id;
      });
      return { userId, isNewUser: true };
    } catch (error) {
      // Two codes of one new number, answered at the same instant: the other one made the account.
      if (!isUniqueViolation(error, 'phone_index_pkey')) throw error;
      const winner = await queries.findHolder(db.identity, entries);
      if (winner === null) throw error;
      return { userId: winner.userId, isNewUser: false };
    }
  }

  async function open(
    userId: bigint,
    device: Device,
    userAgent: string,
    options?: { readonly isSignUp: boolean },
  ): Promise<SignedIn> {
    await queries.upsertDevice(db.identity, keyOfDevice(device, userId), userId, today(clock));
    await profiles.markSeen(userId);
    const token = await sessions.open(userId, deviceLabel(userAgent), options);
    return { token, user: await profiles.self(userId), device };
  }

  return {
    async signIn(arrival) {
      const { userId, isNewUser } = await findOrCreate(arrival);
      const { device, number, userAgent } = arrival;
      const remembered = rememberNumber(cookieKey, device ?? newDevice(), userId, number.phone);
      return { ...(await open(userId, remembered, userAgent, { isSignUp: isNewUser })), isNewUser };
    },

    openInPlaceOf: (formerUserId, userId, { device, userAgent }) =>
      open(userId, handOverNumber(cookieKey, device ?? newDevice(), formerUserId, userId), userAgent),

    async ownsNumber(viewer, number) {
      const holder = await queries.findHolder(db.identity, await phoneIndex.entriesOf(number.phone));
      return holder?.userId === viewer.userId;
    },

    async moveNumber(userId, number) {
      const entries = await phoneIndex.entriesOf(number.phone);
      await transaction(db.identity, async (tx) => {
        await insistOnEveryKey(tx);
        const holder = await queries.findHolder(tx, entries);
        if (holder?.userId === userId) return;
        if (holder) {
          if (!mayTakeNumberFrom({ idleDays: idleDays(holder.lastSeenOn) }))
            throw new AppError('NUMBER_TAKEN');
          await queries.deletePhoneIndex(tx, holder);
          await queries.detachUser(tx, holder.userId, today(clock));
        }
        await queries.deletePhoneIndexOf(tx, userId);
        await queries.insertPhoneIndex(tx, entries[0], userId);
      }).catch((error: unknown) => {
        // Somebody else took it at the same instant.
        throw isUniqueViolation(error, 'phone_index_pkey') ? new AppError('NUMBER_TAKEN') : error;
      });
    },

    async takeNumberOf(tx, fromUserId, toUserId) {
      const entry = await queries.deletePhoneIndexOf(tx, fromUserId);
      if (!entry) throw new AppError('UNAUTHENTICATED');
      await queries.deletePhoneIndexOf(tx, toUserId);
      await queries.insertPhoneIndex(tx, entry, toUserId);
    },

    forgetOldDevices: () =>
      queries.deleteForgottenDevices(db.identity, addDays(today(clock), -rememberedDays)),

    async letGoOfNumbers() {
      const lastSeenBy = addDays(today(clock), -letGoAfterDays);
      for await (const span of profiles.everybody())
        await queries.deleteIdlePhoneIndexes(db.identity, lastSeenBy, span);
    },

    async wrapNumbers() {
      const newest = keys.current('phone-index/1').id;
      // Said first: a process without this key makes no accounts from here on.
      await queries.addPhoneKey(db.identity, newest);
      let wrapped = 0;
      for (;;) {
        const count = await transaction(db.identity, async (tx) => {
          const entries = await queries.lockPhoneIndexesWithout(tx, newest, wrapBatch);
          await queries.wrapPhoneIndexes(
            tx,
            newest,
            entries.map((entry) => ({ from: entry, to: phoneIndex.wrap(entry) })),
          );
          return entries.length;
        });
        wrapped += count;
        if (count < wrapBatch) return wrapped;
      }
    },
  };
}
