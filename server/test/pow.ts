import { hash, randomBytes } from 'node:crypto';
import {
  requestOtp,
  powMaxNumber,
  type ResponseOf,
  type PowChallenge,
  type PowDifficulty,
} from '@unsaid/contract';
import type { Deps } from '../src/deps.ts';
import { hmac } from '../src/platform/crypto/keys.ts';
import type { Actor, Answer, TestApp } from './app.ts';

/** Solves a challenge by brute force, as any ALTCHA client does. */
export function solveWork({ algorithm, challenge, maxnumber, salt, signature }: PowChallenge): string {
  for (let number = 0; number <= maxnumber; number += 1) {
    if (hash('sha256', `${salt}${number}`) === challenge)
      return encodeSolution({ algorithm, challenge, number, salt, signature });
  }
  throw new Error('the challenge has no solution');
}

export function encodeSolution(solution: object): string {
  return Buffer.from(JSON.stringify(solution)).toString('base64');
}

export function sizeOf({ maxnumber }: PowChallenge): PowDifficulty {
  return maxnumber === powMaxNumber.harder ? 'harder' : 'usual';
}

/** A valid solution made with the server's own key, for tests that need many and do not test the work itself. */
export function mintWork(
  { keys, redisCrypto, clock }: Pick<Deps, 'keys' | 'redisCrypto' | 'clock'>,
  phone: string,
  size: PowDifficulty,
): string {
  const expires = Math.floor(clock.now() / 1000) + 300;
  const salt = `${randomBytes(12).toString('hex')}?expires=${expires}&size=${size}&`;
  const challenge = hash('sha256', `${salt}0`);
  const phoneKey = redisCrypto.keyedHash('phone', phone);
  const signature = hmac(keys.ring('work/1')[0], 'send signin', phoneKey, challenge);
  return encodeSolution({ challenge, number: 0, salt, signature: signature.toString('hex') });
}

/**
 * Requests a code, and again with proof of work if the server demands it, as the web does. Real solving is tested
 * in proof-of-work.test.ts.
 */
export async function askPaying(
  app: Pick<TestApp, 'call' | 'deps'>,
  phone: string,
  as: Actor,
): Promise<Answer<ResponseOf<typeof requestOtp>> & { readonly wasWorkAsked: boolean }> {
  const first = await app.call(requestOtp, { as, body: { phone } });
  const { challenge } = JSON.parse(first.text) as { challenge?: PowChallenge };
  if (!challenge) return { ...first, wasWorkAsked: false };
  const pow = mintWork(app.deps, phone, sizeOf(challenge));
  return { ...(await app.call(requestOtp, { as, body: { phone, pow } })), wasWorkAsked: true };
}
