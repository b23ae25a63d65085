import { windowKey, windowMask, type Window } from '../src/platform/limits/windows.ts';
import type { TestApp } from './app.ts';

/** Writes `count` uses of a window at a time to Redis, because making that many calls would take too long. */
export async function fillWindow(
  { config, deps, redis }: TestApp,
  window: Omit<Window, 'limit'>,
  count: number,
  at: number,
): Promise<void> {
  const key = `${config.redisPrefix}${windowKey(window)}`;
  const masked = at + windowMask(deps.redisCrypto, window);
  if (window.stepSeconds === undefined) {
    const uses = Array.from({ length: count }, (_, n) => [String(masked), `filled${n}`]);
    await redis.zadd(key, ...uses.flat());
    return;
  }
  const step = Math.floor(masked / (window.stepSeconds * 1000));
  await redis.hincrby(key, String(step), count);
  await redis.hincrby(key, 'n', count);
  await redis.hset(key, 'f', String(Math.min(step, Number((await redis.hget(key, 'f')) ?? step))));
}
