import { randomBytes } from 'node:crypto';
import { hmac } from '../platform/keys.ts';

/**
 * The device cookie: a random id and, for the last few accounts that signed in here, a keyed proof of the number and
 * a keyed tag of the account. The proof shows that a browser knows a number without a look at the database and
 * without naming the number; by the tag, logging out finds the entry to drop.
 */
const maxEntries = 4;
const cookiePattern = /^[A-Za-z0-9_-]{22}(?:\.[A-Za-z0-9_-]{44}){0,4}$/u;
const proofLength = 22;

export interface Device {
  readonly id: string;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly proof: string;
  readonly account: string;
}

export function readDevice(cookie: string | null): Device | null {
  if (!cookie || !cookiePattern.test(cookie)) return null;
  const [id = '', ...entries] = cookie.split('.');
  return {
    id,
    entries: entries.map((entry) => ({
      proof: entry.slice(0, proofLength),
      account: entry.slice(proofLength),
    })),
  };
}

export function deviceCookie({ id, entries }: Device): string {
  return [id, ...entries.map(({ proof, account }) => proof + account)].join('.');
}

function proofOf(key: Buffer, id: string, phone: string): string {
  return hmac(key, 'proof', id, phone).subarray(0, 16).toString('base64url');
}

function accountTag(key: Buffer, id: string, userId: bigint): string {
  return hmac(key, 'tag', id, String(userId)).subarray(0, 16).toString('base64url');
}

export function knowsNumber(key: Buffer, device: Device | null, phone: string): boolean {
  return device !== null && device.entries.some(({ proof }) => proof === proofOf(key, device.id, phone));
}

export function newDevice(): Device {
  return { id: randomBytes(16).toString('base64url'), entries: [] };
}

/** The device after an account signed in with a number; what it knew of either is replaced. */
export function rememberNumber(key: Buffer, { id, entries }: Device, userId: bigint, phone: string): Device {
  const entry = { proof: proofOf(key, id, phone), account: accountTag(key, id, userId) };
  const others = entries.filter(({ proof, account }) => proof !== entry.proof && account !== entry.account);
  return { id, entries: [entry, ...others].slice(0, maxEntries) };
}

export function forgetAccount(key: Buffer, { id, entries }: Device, userId: bigint): Device {
  const tag = accountTag(key, id, userId);
  return { id, entries: entries.filter(({ account }) => account !== tag) };
}

/** The number of one account has become another's. */
export function handOverNumber(
  key: Buffer,
  { id, entries }: Device,
  fromUserId: bigint,
  toUserId: bigint,
): Device {
  const [from, to] = [accountTag(key, id, fromUserId), accountTag(key, id, toUserId)];
  return {
    id,
    entries: entries
      .filter(({ account }) => account !== to)
      .map((entry) => (entry.account === from ? { ...entry, account: to } : entry)),
  };
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
