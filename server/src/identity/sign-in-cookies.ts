import { cookieName, type CookieOptions } from '../platform/http/cookies.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import { deviceCookie, forgetAccount, readDevice, rememberNumber, type Device } from './accounts/devices.ts';

interface Caller {
  cookie(name: string): string | null;
  setCookie(name: string, value: string, options: CookieOptions): void;
}

/** The cookies of sign-in: the challenge id of a requested code, and the known device. */
export interface SignInCookies {
  challengeId(caller: Caller): string | null;
  setChallengeId(caller: Caller, id: string): void;
  /** The code was used; the next request creates a new challenge. */
  dropChallengeId(caller: Caller): void;
  device(caller: Caller): Device | null;
  setDevice(caller: Caller, device: Device): void;
  /** Replaces the number of an account on this device. */
  rememberNumber(caller: Caller, userId: bigint, phone: string): void;
  /** Removes every trace of an account's number from this browser. Entries of other accounts stay. */
  forget(caller: Caller, userId: bigint): void;
}

const challengePattern = /^[A-Za-z0-9_-]{32}$/u;
const challengeSeconds = 600;
/** Lifetime of the cookie and of the device's row. */
export const rememberedDays = 180;

export function createSignInCookies(keys: Keys, isSecure: boolean): SignInCookies {
  const challengeCookie = cookieName('otp', isSecure);
  const knownCookie = cookieName('dev', isSecure);
  const deviceKey = keys.of('device/1');

  const device = (caller: Caller) => readDevice(caller.cookie(knownCookie));
  const setDevice = (caller: Caller, changed: Device) =>
    caller.setCookie(knownCookie, deviceCookie(changed), {
      maxAgeSeconds: rememberedDays * 86_400,
      isSecure,
    });
  const dropChallengeId = (caller: Caller) =>
    caller.setCookie(challengeCookie, '', { maxAgeSeconds: 0, isSecure });

  return {
    challengeId(caller) {
      const id = caller.cookie(challengeCookie);
      return id !== null && challengePattern.test(id) ? id : null;
    },
    setChallengeId: (caller, id) =>
      caller.setCookie(challengeCookie, id, { maxAgeSeconds: challengeSeconds, isSecure }),
    dropChallengeId,
    device,
    setDevice,
    rememberNumber(caller, userId, phone) {
      const known = device(caller);
      if (known) setDevice(caller, rememberNumber(deviceKey, known, userId, phone));
    },
    forget(caller, userId) {
      dropChallengeId(caller);
      const known = device(caller);
      if (known) setDevice(caller, forgetAccount(deviceKey, known, userId));
    },
  };
}
