import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { limits, type OtpPurpose } from '@unsaid/contract';
import { hmac } from '../platform/keys.ts';

export function drawCode(): string {
  return randomInt(0, 10 ** limits.otpLength)
    .toString()
    .padStart(limits.otpLength, '0');
}

export function drawChallengeId(): string {
  return randomBytes(12).toString('base64url');
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

/** One GSM-7 segment that says nothing about feelings. The last line lets the browser fill the code in on our site alone. */
export function codeMessage(code: string, host: string): string {
  return `${code} is your Unsaid code. It expires in 5 minutes. Never share it.\n\n@${host} #${code}`;
}
