import { cookieName, type CookieOptions } from '../platform/http/cookies.ts';
import { deviceCookie, readDevice, type Device } from './devices.ts';

interface Caller {
  cookie(name: string): string | null;
  setCookie(name: string, value: string, options: CookieOptions): void;
}

/** What a browser carries besides its token: which code it asked for, and that it has been here before. */
export interface SignInCookies {
  challengeId(caller: Caller): string | null;
  setChallengeId(caller: Caller, id: string): void;
  device(caller: Caller): Device | null;
  setDevice(caller: Caller, device: Device): void;
}

const challengePattern = /^[A-Za-z0-9_-]{16}$/u;
const challengeSeconds = 600;
/** As long as the device's row is kept. */
export const rememberedDays = 180;

export function createSignInCookies(isSecure: boolean): SignInCookies {
  const challengeCookie = cookieName('otp', isSecure);
  const knownCookie = cookieName('dev', isSecure);
  return {
    challengeId(caller) {
      const id = caller.cookie(challengeCookie);
      return id !== null && challengePattern.test(id) ? id : null;
    },
    setChallengeId: (caller, id) =>
      caller.setCookie(challengeCookie, id, { maxAgeSeconds: challengeSeconds, isSecure }),
    device: (caller) => readDevice(caller.cookie(knownCookie)),
    setDevice: (caller, device) =>
      caller.setCookie(knownCookie, deviceCookie(device), {
        maxAgeSeconds: rememberedDays * 86_400,
        isSecure,
      }),
  };
}
