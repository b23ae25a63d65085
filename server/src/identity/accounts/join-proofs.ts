import { randomBytes } from 'node:crypto';
import { limits } from '@unsaid/contract';
import { coarseLifeMs, minuteMs } from '../../platform/clock.ts';
import { createKeyAead } from '../../platform/crypto/aead.ts';
import { AppError } from '../../platform/errors.ts';
import type { IdentityContext } from '../context.ts';

/**
 * Proofs that a number without an account was verified in this browser. Nothing is stored until the person agrees: the
 * proof has all that is needed to make the account then.
 */

const idBytes = 16;
const lifeMs = limits.joinMinutes * minuteMs;

/** `browser` is the challenge id in the cookie of the browser that asked for the code. */
const boundTo = (phone: string, browser: string | null) => Buffer.from(`${phone} ${browser ?? ''}`);

export function makeJoinProof({ keys, clock }: IdentityContext, phone: string, browser: string | null) {
  const plain = Buffer.alloc(idBytes + 8);
  randomBytes(idBytes).copy(plain);
  plain.writeDoubleBE(clock.now() + lifeMs, idBytes);
  return createKeyAead(keys, 'join-proof/1').seal(plain, boundTo(phone, browser)).toString('base64url');
}

/** Throws for a proof that is forged, used or too old, or of another number or browser. */
export async function consumeJoinProof(
  { keys, clock, redis, redisCrypto }: IdentityContext,
  proof: string,
  phone: string,
  browser: string | null,
): Promise<void> {
  const aead = createKeyAead(keys, 'join-proof/1');
  const plain = aead.open(Buffer.from(proof, 'base64url'), boundTo(phone, browser));
  if (plain?.length !== idBytes + 8 || clock.now() >= plain.readDoubleBE(idBytes))
    throw new AppError('OTP_INVALID');
  const name = `join:${redisCrypto.keyedHash('join', plain.subarray(0, idBytes))}`;
  const life = coarseLifeMs(clock.now(), lifeMs);
  const isFirst = await redis.run((client) => client.set(name, '', 'PX', life, 'NX'));
  if (isFirst === null) throw new AppError('OTP_INVALID');
}
