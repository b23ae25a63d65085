import { randomBytes } from 'node:crypto';
import { hmac } from '../../platform/crypto/keys.ts';

/**
 * The device cookie: a random id and, for each of the last few accounts that signed in here, a proof and a tag, both
 * keyed hashes. The proof shows that this browser signed in with a number, without a database lookup and without naming
 * the number. By the tag, signing out finds the entry to delete.
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

/** Adds an account with its number; earlier entries of either are replaced. */
export function rememberNumber(key: Buffer, { id, entries }: Device, userId: bigint, phone: string): Device {
  const entry = { proof: proofOf(key, id, phone), account: accountTag(key, id, userId) };
  const others = entries.filter(({ proof, account }) => proof !== entry.proof && account !== entry.account);
  return { id, entries: [entry, ...others].slice(0, maxEntries) };
}

export function forgetAccount(key: Buffer, { id, entries }: Device, userId: bigint): Device {
  const tag = accountTag(key, id, userId);
  return { id, entries: entries.filter(({ account }) => account !== tag) };
}

/** Moves the entry of one account to another, which now has its number. */
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

/** The database key of a device. Bound to the account, so that two accounts on one phone share no value. */
export function deviceKey(key: Buffer, deviceId: string, userId: bigint): Buffer {
  return hmac(key, 'account', deviceId, String(userId));
}
