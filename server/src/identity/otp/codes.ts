import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { limits, type OtpPurpose } from '@unsaid/contract';
import { hmac } from '../../platform/crypto/keys.ts';

export function randomCode(): string {
  return randomInt(0, 10 ** limits.otpLength)
    .toString()
    .padStart(limits.otpLength, '0');
}

const challengeBytes = 12;

/** Random, with a MAC over the number: the id can be verified without a Redis lookup. */
export function createChallengeId(key: Buffer, phoneKey: string): string {
  const random = randomBytes(challengeBytes);
  return Buffer.concat([random, signChallenge(key, phoneKey, random)]).toString('base64url');
}

export function isChallengeOf(key: Buffer, phoneKey: string, challengeId: string): boolean {
  const bytes = Buffer.from(challengeId, 'base64url');
  const random = bytes.subarray(0, challengeBytes);
  return isSameHash(bytes.subarray(challengeBytes), signChallenge(key, phoneKey, random));
}

function signChallenge(key: Buffer, phoneKey: string, random: Buffer): Buffer {
  return hmac(key, phoneKey, random).subarray(0, challengeBytes);
}

export interface CodeScope {
  readonly purpose: OtpPurpose;
  /** The number, hashed for Redis. */
  readonly phoneKey: string;
  readonly challengeId: string;
}

export function hashCode(key: Buffer, { purpose, phoneKey, challengeId }: CodeScope, code: string): Buffer {
  return hmac(key, '1', purpose, phoneKey, challengeId, code);
}

export function isSameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Nothing narrower: the SMS company would learn it. */
const uses: Readonly<Record<OtpPurpose, string>> = {
  signin: 'sign in',
  reauth: 'confirm a change (badlaav)',
  change: 'confirm a change (badlaav)',
};

export const useOf = (purpose: OtpPurpose): string => uses[purpose];

/**
 * One GSM-7 segment, neutral in content. English and Hindi in one text: the language of the caller is not known here, and
 * would be told to the SMS company. The last line is the WebOTP format: browsers fill the code in on our host only.
 */
export function codeMessage(code: string, use: string, host: string): string {
  return `${code} is your Unsaid OTP to ${use}. Valid 5 min. Never share it, kisi ko na batayen.\n\n@${host} #${code}`;
}
