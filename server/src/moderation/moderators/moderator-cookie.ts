import { cookieName, readCookie, type CookieOptions } from '../../platform/http/cookies.ts';
import { sessionHours } from './moderator-sessions.ts';

interface Caller {
  setCookie(name: string, value: string, options: CookieOptions): void;
}

/** `__Host-mod`: sent to this origin only, to no script, and with no request that another site starts. */
export interface ModeratorCookie {
  read(header: string | undefined): string | null;
  set(caller: Caller, token: string): void;
  clear(caller: Caller): void;
}

export function createModeratorCookie(origin: URL): ModeratorCookie {
  const isSecure = origin.protocol === 'https:';
  const name = cookieName('mod', isSecure);
  return {
    read: (header) => readCookie(header, name),
    set: (caller, token) => caller.setCookie(name, token, { maxAgeSeconds: sessionHours * 3600, isSecure }),
    clear: (caller) => caller.setCookie(name, '', { maxAgeSeconds: 0, isSecure }),
  };
}
