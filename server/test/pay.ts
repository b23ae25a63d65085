import { hash, randomBytes } from 'node:crypto';
import { requestOtp, workSizes, type ResponseOf, type WorkChallenge, type WorkSize } from '@unsaid/contract';
import type { Deps } from '../src/deps.ts';
import { hmac } from '../src/platform/keys.ts';
import type { Actor, Answer, TestApp } from './app.ts';

/** Solves a challenge as any ALTCHA client does: by trying. */
export function solveWork({ algorithm, challenge, maxnumber, salt, signature }: WorkChallenge): string {
  for (let number = 0; number <= maxnumber; number += 1) {
    if (hash('sha256', `${salt}${number}`) === challenge)
      return encodeSolution({ algorithm, challenge, number, salt, signature });
  }
  throw new Error('the challenge has no solution');
}

export function encodeSolution(solution: object): string {
  return Buffer.from(JSON.stringify(solution)).toString('base64');
}

export function sizeOf({ maxnumber }: WorkChallenge): WorkSize {
  return maxnumber === workSizes.harder ? 'harder' : 'usual';
}

/** Work as it would be handed in, made with the server's own key: where it is asked for often and is not what is tested. */
export function mintWork(
  { keys, opaque, clock }: Pick<Deps, 'keys' | 'opaque' | 'clock'>,
  phone: string,
  size: WorkSize,
): string {
  const expires = Math.floor(clock.now() / 1000) + 300;
  const salt = `${randomBytes(12).toString('hex')}?expires=${expires}&size=${size}&`;
  const challenge = hash('sha256', `${salt}0`);
  const phoneKey = opaque.name('phone', phone);
  const signature = hmac(keys.current('work/1').key, 'send signin', phoneKey, challenge);
  return encodeSolution({ challenge, number: 0, salt, signature: signature.toString('hex') });
}

/** Asks for a code, and again with the work where that is asked for, as the web does. The work itself is done in work.test.ts. */
export async function askPaying(
  app: Pick<TestApp, 'call' | 'deps'>,
  phone: string,
  as: Actor,
): Promise<Answer<ResponseOf<typeof requestOtp>> & { readonly wasWorkAsked: boolean }> {
  const first = await app.call(requestOtp, { as, body: { phone } });
  const { challenge } = JSON.parse(first.text) as { challenge?: WorkChallenge };
  if (!challenge) return { ...first, wasWorkAsked: false };
  const pow = mintWork(app.deps, phone, sizeOf(challenge));
  return { ...(await app.call(requestOtp, { as, body: { phone, pow } })), wasWorkAsked: true };
}
