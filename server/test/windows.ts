import { windowPlace, type Window } from '../src/platform/limiter.ts';
import { addressKey } from '../src/platform/http/address.ts';
import type { TestApp } from './app.ts';

/** Writes `count` uses of a window at a time to Redis, because making that many calls would take too long. */
export async function fillWindow(
  { config, deps, redis }: TestApp,
  window: Pick<Window, 'budget' | 'windowSeconds' | 'subject'>,
  count: number,
  at: number,
): Promise<void> {
  const { key, mask } = windowPlace(deps.redisCrypto, window);
  const uses = Array.from({ length: count }, (_, n) => [String(at + mask), `filled${n}`]);
  await redis.zadd(`${config.redisPrefix}${key}`, ...uses.flat());
}

/** What an address is counted by. */
export const addressSubject = ({ deps }: TestApp, address: string): string =>
  addressKey(deps.keys.of('ip/1'), address);
