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

/** One GSM-7 segment, neutral in content. The last line is the WebOTP format: browsers fill the code in on our host only. */
export function codeMessage(code: string, host: string): string {
  return `${code} is your Unsaid code. It expires in 5 minutes. Never share it.\n\n@${host} #${code}`;
}
