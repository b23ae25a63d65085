import type { SelfUser } from '@unsaid/contract';
import { addDays, today, type Clock } from '../platform/clock.ts';
import { isUniqueViolation, transaction, type Databases } from '../platform/db.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Keys } from '../platform/keys.ts';
import { refusalError, type Limiter } from '../platform/limiter.ts';
import type { MatchPlaces } from '../matches/match-places.service.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import * as queries from './accounts.queries.ts';
import { deviceKey, deviceLabel, rememberNumber, type Device } from './devices.ts';
import type { VerifiedNumber } from './otp.service.ts';
import type { PhoneIndex } from './phone-index.ts';
import type { SessionsService } from './sessions.service.ts';

export interface AccountsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly limiter: Limiter;
  readonly phoneIndex: PhoneIndex;
  readonly sessions: SessionsService;
  readonly profiles: ProfilesService;
  readonly places: MatchPlaces;
}

/** As long as the device's cookie lives. */
export const rememberedDays = 180;

interface Arrival {
  readonly number: VerifiedNumber;
  readonly device: Device | null;
  readonly userAgent: string;
  readonly addressKey: string;
}

export interface AccountsService {
  /** After a right code: the account of the number, or a new one. Nobody can ask beforehand which it will be. */
  signIn(arrival: Arrival): Promise<{ token: string; user: SelfUser; isNewUser: boolean; device: Device }>;
  /** After a right code with purpose reauth: is this the number of the account that holds the session? */
  ownsNumber(viewer: Viewer, number: VerifiedNumber): Promise<boolean>;
  forgetOldDevices(): Promise<void>;
}

export function createAccountsService(deps: AccountsDeps): AccountsService {
  const { db, clock, keys, limiter, phoneIndex, sessions, profiles, places } = deps;

  async function findOrCreate(
    phone: string,
    addressKey: string,
  ): Promise<{ userId: bigint; isNewUser: boolean }> {
    const entries = await phoneIndex.entriesOf(phone);
    const [newest] = entries;
    if (!newest) throw new Error('the key ring is empty');
    const known = await queries.findUserIdByPhone(db.identity, entries);
    if (known !== null) return { userId: known, isNewUser: false };
    const { refusal } = await limiter.takeFromWindows([
      { budget: 'newAccountsPerAddress', subject: addressKey },
    ]);
    if (refusal) {
      throw refusalError('OTP_RATE_LIMITED', refusal);
    }
    try {
      const userId = await transaction(db.identity, async (tx) => {
        const id = await profiles.createBlank(tx);
        await queries.insertPhoneIndex(tx, newest, id);
        return id;
      });
      return { userId, isNewUser: true };
    } catch (error) {
      // Two codes of one new number, answered at the same instant: the other one made the account.
      if (!isUniqueViolation(error, 'phone_index_pkey')) throw error;
      const winner = await queries.findUserIdByPhone(db.identity, entries);
      if (winner === null) throw error;
      return { userId: winner, isNewUser: false };
    }
  }

  return {
    async signIn({ number, device, userAgent, addressKey }) {
      const { userId, isNewUser } = await findOrCreate(number.phone, addressKey);
      const key = keys.lasting('device/1');
      const remembered = rememberNumber(key, device, number.phone);
      await queries.upsertDevice(db.identity, deviceKey(key, remembered.id, userId), userId, today(clock));
      await profiles.markSeen(userId);
      // Not in the account's transaction (another room, another role), but made good at the next sign-in.
      await places.ensure(userId);
      const token = await sessions.open(userId, deviceLabel(userAgent));
      return { token, user: await profiles.self(userId), isNewUser, device: remembered };
    },

    async ownsNumber(viewer, number) {
      const entries = await phoneIndex.entriesOf(number.phone);
      return (await queries.findUserIdByPhone(db.identity, entries)) === viewer.userId;
    },

    forgetOldDevices: () =>
      queries.deleteForgottenDevices(db.identity, addDays(today(clock), -rememberedDays)),
  };
}
