import { hash, randomBytes, randomInt } from 'node:crypto';
import { powMaxNumber, powSolution, type PowChallenge, type PowDifficulty } from '@unsaid/contract';
import { hmac } from '../../platform/crypto/keys.ts';
import { AppError } from '../../platform/errors.ts';
import type { IdentityContext } from '../context.ts';
import { isSameHash } from './codes.ts';
import { otpMetrics } from './otp.metrics.ts';

/**
 * Proof of work in the format of ALTCHA version 1, so that its clients can solve it. Stateless: expiry and difficulty are
 * in the salt, which the challenge hashes. The scope is in the signature, which is opaque to clients.
 */

/** A solution is valid for one call about one number. */
export interface PowScope {
  readonly action: string;
  readonly phoneKey: string;
}

const lifeMs = 5 * 60 * 1000;
const saltPattern = /^[0-9a-f]{24}\?expires=(?<expires>[0-9]{10})&size=(?<size>usual|harder)&$/u;

const sign = (key: Buffer, { action, phoneKey }: PowScope, challenge: string) =>
  hmac(key, action, phoneKey, challenge);

export function createWorkChallenge(
  { clock, keys }: IdentityContext,
  scope: PowScope,
  difficulty: PowDifficulty,
): PowChallenge {
  const expires = Math.floor((clock.now() + lifeMs) / 1000);
  // The trailing & ends the salt. Without it, digits could be moved from the number into the salt.
  const salt = `${randomBytes(12).toString('hex')}?expires=${expires}&size=${difficulty}&`;
  const maxnumber = powMaxNumber[difficulty];
  const challenge = hash('sha256', `${salt}${randomInt(maxnumber + 1)}`);
  const signature = sign(keys.ring('work/1')[0], scope, challenge).toString('hex');
  return { algorithm: 'SHA-256', challenge, maxnumber, salt, signature };
}

/** The difficulty of the solution; null without one. A solution is valid once; throws POW_INVALID otherwise. */
export async function consumeSolution(
  ctx: IdentityContext,
  scope: PowScope,
  solution: string | undefined,
): Promise<PowDifficulty | null> {
  if (solution === undefined) return null;
  const { redis, redisCrypto, metrics } = ctx;
  const checked = check(ctx, scope, solution);
  const isFirst =
    checked &&
    (await redis.run((client) =>
      client.set(`pow:${redisCrypto.keyedHash('pow', checked.signature)}`, '1', 'PX', lifeMs, 'NX'),
    )) === 'OK';
  otpMetrics(metrics).powSubmitted.inc({ outcome: isFirst ? 'accepted' : 'rejected' });
  if (!isFirst) throw new AppError('POW_INVALID');
  return checked.difficulty;
}

/** Null for a solution that is wrong, expired, or of a challenge we did not issue for this scope. */
function check(
  { clock, keys }: IdentityContext,
  scope: PowScope,
  text: string,
): { difficulty: PowDifficulty; signature: string } | null {
  const parsed = powSolution.safeParse(parseJson(Buffer.from(text, 'base64').toString('utf8')));
  if (!parsed.success) return null;
  const { challenge, number, salt, signature } = parsed.data;
  const parts = saltPattern.exec(salt)?.groups as { expires: string; size: PowDifficulty } | undefined;
  if (!parts) return null;
  const given = Buffer.from(signature, 'hex');
  const isOurs = keys.ring('work/1').some((key) => isSameHash(given, sign(key, scope, challenge)));
  const isSolved = hash('sha256', `${salt}${number}`) === challenge;
  if (!isOurs || !isSolved || Number(parts.expires) * 1000 <= clock.now()) return null;
  // Canonical form: a second spelling of the same bytes must not count as another solution.
  return { difficulty: parts.size, signature: given.toString('hex') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
