import { randomBytes } from 'node:crypto';
import { hmac } from '../platform/keys.ts';

/**
 * The device cookie: a random id and, for the last few numbers that signed in here, a keyed proof.
 * It shows that a browser knows a number without a look at the database and without naming the number.
 */
const maxProofs = 4;
const cookiePattern = /^[A-Za-z0-9_-]{22}(?:\.[A-Za-z0-9_-]{22}){0,4}$/u;

export interface Device {
  readonly id: string;
  readonly proofs: readonly string[];
}

export function readDevice(cookie: string | null): Device | null {
  if (!cookie || !cookiePattern.test(cookie)) return null;
  const [id = '', ...proofs] = cookie.split('.');
  return { id, proofs };
}

function proofOf(key: Buffer, id: string, phone: string): string {
  return hmac(key, 'proof', id, phone).subarray(0, 16).toString('base64url');
}

export function knowsNumber(key: Buffer, device: Device | null, phone: string): boolean {
  return device !== null && device.proofs.includes(proofOf(key, device.id, phone));
}

/** The device as it stands after signing in to a number; or otherwise than by one. */
export function rememberNumber(key: Buffer, device: Device | null, phone: string | null): Device {
  const id = device?.id ?? randomBytes(16).toString('base64url');
  if (phone === null) return device ?? { id, proofs: [] };
  const proof = proofOf(key, id, phone);
  return {
    id,
    proofs: [proof, ...(device?.proofs ?? []).filter((old) => old !== proof)].slice(0, maxProofs),
  };
}

export function deviceCookie(device: Device): string {
  return [device.id, ...device.proofs].join('.');
}

/** What is stored: bound to the account, so that two accounts on one phone do not share a value. */
export function deviceKey(key: Buffer, deviceId: string, userId: bigint): Buffer {
  return hmac(key, 'account', deviceId, String(userId));
}

/** "Chrome on Android": enough to recognise one's own phone in a list, too little to find one by. */
export function deviceLabel(userAgent: string): string {
  const browser = [
    ['Edg', 'Edge'],
    ['OPR', 'Opera'],
    ['SamsungBrowser', 'Samsung Internet'],
    ['UCBrowser', 'UC Browser'],
    ['Firefox', 'Firefox'],
    ['FxiOS', 'Firefox'],
    ['CriOS', 'Chrome'],
    ['Chrome', 'Chrome'],
    ['Safari', 'Safari'],
  ].find(([sign = '']) => userAgent.includes(sign))?.[1];
  const system = [
    ['Android', 'Android'],
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Windows', 'Windows'],
    ['Mac OS X', 'Mac'],
    ['CrOS', 'Chromebook'],
    ['Linux', 'Linux'],
  ].find(([sign = '']) => userAgent.includes(sign))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}
