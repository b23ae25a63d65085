import { budgets, type Budget, type BudgetName } from '@unsaid/contract';
import { createBatcher } from '../batch.ts';
import { dayMs, luaClockArg, luaReadClock, type Clock } from '../clock.ts';
import type { RedisCrypto } from '../crypto/redis-crypto.ts';
import type { RedisStore } from '../redis.ts';

/** Token buckets (GCRA): one number for each subject. Cheap, but up to twice the limit may pass around a period's end. */

export interface BucketRequest {
  readonly budget: BudgetName;
  /** The caller that is counted. Redis sees a keyed hash of it, different for every bucket and period. */
  readonly subject: Buffer | string;
  readonly isNewcomer?: boolean;
  /** Tokens to consume; 1 by default, and 0 skips the bucket. */
  readonly cost?: number;
}

export interface Bucket {
  readonly budget: BudgetName;
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly cost: number;
  /** Added to the stored value; the master key is needed to subtract it. */
  readonly mask: number;
}

/**
 * The resolution of stored times. A finer time could be compared with the time of a vent, even by someone who has the
 * master key. Times are rounded up and the rounded clock is used throughout, so the error does not accumulate.
 */
export const tickMs = 10_000;

// Handles many callers at once: args[n] is the list of the n-th caller's buckets, KEYS holds their keys in the same
// order. For each caller it consumes from all buckets or from none, and returns two numbers: the position of the bucket
// that rejected (0 for none), and the wait. A key expires at the end of a window or period, which reveals only that it
// was used in that window; an exact expiry would reveal when.
const consumeScript = `${luaReadClock}
local tick = math.ceil(now / ${tickMs}) * ${tickMs}
local expiry, from = 'PXAT', 0
if tonumber(ARGV[1]) then expiry, from = 'PX', now end
local offset, replies = 0, {}
for _, buckets in ipairs(cjson.decode(ARGV[2])) do
  local due, rejectedBy, wait = {}, 0, 0
  for i, bucket in ipairs(buckets) do
    local stored = redis.call('GET', KEYS[offset + i])
    due[i] = math.max(stored and tonumber(stored) - bucket.mask or tick, tick) + bucket.step
    if due[i] - tick > bucket.window then
      rejectedBy, wait = i, math.ceil((due[i] - bucket.window) / ${tickMs}) * ${tickMs} - ${tickMs} - now + 1
      break
    end
  end
  if rejectedBy == 0 then
    for i, bucket in ipairs(buckets) do
      local window, period = bucket.window, math.max(bucket.window, ${dayMs})
      local ends = math.min((math.floor(tick / window) + 2) * window, (math.floor(tick / period) + 1) * period)
      local value = string.format('%.3f', due[i] + bucket.mask)
      redis.call('SET', KEYS[offset + i], value, expiry, string.format('%.0f', ends - from))
    end
  end
  table.insert(replies, rejectedBy)
  table.insert(replies, wait)
  offset = offset + #buckets
end
return replies`;

/** `position` counts from 1; 0 when the tokens were consumed. */
type BucketReply = readonly [position: number, retryAfterMs: number];

/** Consumes from all buckets of a caller or from none. Callers of one event-loop turn share one script call. */
export function createBucketConsumer(
  redis: RedisStore,
  clock: Clock,
): (buckets: readonly Bucket[]) => Promise<BucketReply> {
  const run = redis.script(consumeScript);
  return createBatcher(async (callers: readonly (readonly Bucket[])[]): Promise<BucketReply[]> => {
    const keys = callers.flatMap((buckets) => buckets.map(({ key }) => key));
    const args = callers.map((buckets) =>
      buckets.map(({ limit, windowMs, cost, mask }) => ({
        step: (windowMs / limit) * cost,
        window: windowMs,
        mask,
      })),
    );
    const numbers = (await run(keys, [luaClockArg(clock), JSON.stringify(args)])) as number[];
    return callers.map((_, index) => [numbers[index * 2] ?? 0, numbers[index * 2 + 1] ?? 0]);
  });
}

interface BucketOptions {
  readonly clock: Clock;
  readonly redisCrypto: RedisCrypto;
  readonly scale: number;
}

/**
 * The buckets that the requests draw on. A person's bucket has a different name for every budget, window and period, so
 * that no two can be joined. It is empty again when a period begins: at midnight UTC, or at the end of a longer window.
 */
export function createBucketResolver({
  clock,
  redisCrypto,
  scale,
}: BucketOptions): (requests: readonly BucketRequest[]) => Bucket[] {
  function resolve({ budget, subject, isNewcomer }: BucketRequest, one: Budget, cost: number): Bucket {
    const windowMs = one.windowSeconds * 1000;
    const period = Math.floor(clock.now() / Math.max(windowMs, dayMs));
    const kind = `${budget}:${one.windowSeconds}`;
    const { name, mask } = redisCrypto.counter(`${kind}:${period}`, subject);
    const limit = (isNewcomer ? (one.newcomerLimit ?? one.limit) : one.limit) * scale;
    return { budget, key: `bucket:${kind}:${name}`, limit, windowMs, cost, mask };
  }

  return (requests) => {
    const buckets: Bucket[] = [];
    for (const request of requests) {
      const { budget, cost = 1 } = request;
      if (cost === 0) continue;
      for (const one of budgets[budget] as readonly Budget[]) buckets.push(resolve(request, one, cost));
    }
    return buckets;
  };
}
