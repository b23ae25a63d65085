import { limits } from '@unsaid/contract';
import type { Viewer } from '../../kernel/viewer.ts';
import { coarseLifeMs, minuteMs } from '../../platform/clock.ts';
import type { IdentityContext } from '../context.ts';

type Flag = 'reauth' | 'signup';

/**
 * Marks of a session that end by themselves, in Redis under a keyed hash: a recent code, a sign-up that goes on. When one
 * ends is encrypted: in plain, it would tell the moment of a sign-up.
 */
export async function setFlag(
  { redis, clock, redisCrypto }: IdentityContext,
  flag: Flag,
  tokenKey: Buffer,
  minutes: number,
): Promise<void> {
  const until = clock.now() + minutes * minuteMs;
  const life = coarseLifeMs(clock.now(), minutes * minuteMs);
  const name = `${flag}:${redisCrypto.keyedHash(flag, tokenKey)}`;
  await redis.run((client) => client.set(name, redisCrypto.encrypt(until), 'PX', life));
}

async function isSet(
  { redis, clock, redisCrypto }: IdentityContext,
  flag: Flag,
  tokenKey: Buffer,
): Promise<boolean> {
  const name = `${flag}:${redisCrypto.keyedHash(flag, tokenKey)}`;
  const until = await redis.run((client) => client.get(name));
  return until !== null && clock.now() < Number(redisCrypto.decrypt(until) ?? 0);
}

export const markReauthenticated = (ctx: IdentityContext, { tokenKey }: Viewer): Promise<void> =>
  setFlag(ctx, 'reauth', tokenKey, limits.reauthMinutes);

export const isReauthenticated = (ctx: IdentityContext, { tokenKey }: Viewer): Promise<boolean> =>
  isSet(ctx, 'reauth', tokenKey);

/** This session created the account, a few minutes ago. */
export const isSigningUp = (ctx: IdentityContext, { tokenKey }: Viewer): Promise<boolean> =>
  isSet(ctx, 'signup', tokenKey);
