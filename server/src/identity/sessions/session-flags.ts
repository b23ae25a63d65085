import type { Base } from '../../kernel/base.ts';
import { coarseLifeMs, minuteMs } from '../../platform/clock.ts';

type Flag = 'reauth' | 'signup';

/**
 * Marks of a session that end by themselves, in Redis under a keyed hash: a recent code, a sign-up that goes on. When one
 * ends is encrypted: in plain, it would tell the moment of a sign-up.
 */
export function createSessionFlags({
  redis,
  clock,
  redisCrypto,
}: Pick<Base, 'redis' | 'clock' | 'redisCrypto'>) {
  const keyOf = (flag: Flag, tokenKey: Buffer) => `${flag}:${redisCrypto.keyedHash(flag, tokenKey)}`;
  return {
    async set(flag: Flag, tokenKey: Buffer, minutes: number): Promise<void> {
      const until = clock.now() + minutes * minuteMs;
      const life = coarseLifeMs(clock.now(), minutes * minuteMs);
      await redis.run((client) => client.set(keyOf(flag, tokenKey), redisCrypto.encrypt(until), 'PX', life));
    },
    async isSet(flag: Flag, tokenKey: Buffer): Promise<boolean> {
      const until = await redis.run((client) => client.get(keyOf(flag, tokenKey)));
      return until !== null && clock.now() < Number(redisCrypto.decrypt(until) ?? 0);
    },
  };
}
