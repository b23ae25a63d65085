import { budgets, type Budget, type BudgetName } from '@unsaid/contract';
import { createBatcher } from '../batch.ts';
import { dayMs, luaClockArg, luaReadClock, type Clock } from '../clock.ts';
import type { RedisCrypto } from '../crypto/redis-crypto.ts';
import { RedisUnavailable, type RedisStore } from '../redis.ts';

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
// order. For each caller it consumes from all buckets or from none, and returns three numbers: the position of the bucket
// that rejected (0 for none), the wait, and the tick. A key expires at the end of a window or period, which reveals only that it
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
  table.insert(replies, tick)
  offset = offset + #buckets
end
return replies`;

// Gives tokens back, if it is still the time of their consumption: later, the bucket may have emptied without them, and
// others would get more than the limit. ARGV: clock, then tick and tokens' time for each key.
const giveBackScript = `${luaReadClock}
local tick = math.ceil(now / ${tickMs}) * ${tickMs}
for i, key in ipairs(KEYS) do
  local stored = tonumber(ARGV[1 + i * 2]) == tick and redis.call('GET', key)
  if stored then redis.call('SET', key, string.format('%.3f', tonumber(stored) - tonumber(ARGV[i * 2])), 'KEEPTTL') end
end`;

interface BucketReply {
  /** The position of the bucket that rejected, from 1; 0 when the tokens were consumed. */
  readonly position: number;
  readonly retryAfterMs: number;
  /** The buckets whose Redis is away. Nothing was consumed from them. */
  readonly away: readonly Bucket[];
}

/** A caller's buckets of one slot. */
interface Share {
  /** In the caller's list, from 1. */
  readonly positions: readonly number[];
  readonly buckets: readonly Bucket[];
}

const stepOf = ({ windowMs, limit, cost }: Bucket) => (windowMs / limit) * cost;

/**
 * Consumes from all buckets of a caller or from none. Callers of one event-loop turn share the script call of a slot. In a
 * cluster each slot reserves on its own; if one rejects, the others give back. A reservation that is lost on the way back
 * stays: limits may be too strict for a moment, never too loose.
 */
export function createBucketConsumer(
  redis: RedisStore,
  clock: Clock,
): (buckets: readonly Bucket[]) => Promise<BucketReply> {
  const run = redis.script(consumeScript);
  const runGiveBack = redis.script(giveBackScript);

  /** Three numbers for each share: the position that rejected within it, the wait, and the tick. Null without Redis. */
  async function consume(shares: readonly Share[]): Promise<(readonly number[] | null)[]> {
    const keys = shares.flatMap(({ buckets }) => buckets.map(({ key }) => key));
    const args = shares.map(({ buckets }) =>
      buckets.map((bucket) => ({ step: stepOf(bucket), window: bucket.windowMs, mask: bucket.mask })),
    );
    try {
      const numbers = (await run(keys, [luaClockArg(clock), JSON.stringify(args)])) as number[];
      return shares.map((_, index) => numbers.slice(index * 3, index * 3 + 3));
    } catch (error) {
      if (error instanceof RedisUnavailable) return shares.map(() => null);
      throw error;
    }
  }

  /** Not retried: a second time would give back too much. */
  function giveBack(buckets: readonly Bucket[], tick: number): void {
    const args = buckets.flatMap((bucket) => [stepOf(bucket), tick]);
    void runGiveBack(
      buckets.map(({ key }) => key),
      [luaClockArg(clock), ...args],
    ).catch(() => {});
  }

  function settle(shares: readonly Share[], replies: readonly (readonly number[] | null)[]) {
    let [position, retryAfterMs] = [0, 0];
    const away: Bucket[] = [];
    for (const [n, share] of shares.entries()) {
      const reply = replies[n];
      if (!reply) away.push(...share.buckets);
      const rejectedBy = share.positions[(reply?.[0] ?? 0) - 1];
      if (rejectedBy === undefined || (position > 0 && position <= rejectedBy)) continue;
      [position, retryAfterMs] = [rejectedBy, reply?.[1] ?? 0];
    }
    if (position > 0)
      for (const [n, share] of shares.entries())
        if (replies[n]?.[0] === 0) giveBack(share.buckets, replies[n][2] ?? 0);
    return { position, retryAfterMs, away };
  }

  return createBatcher(async (callers: readonly (readonly Bucket[])[]): Promise<BucketReply[]> => {
    const shares = callers.map((buckets) => shareBySlot(redis, buckets));
    const groups = redis.groupBySlot(shares.flat(), ({ buckets }) => buckets[0]?.key ?? '');
    const replies = new Map<Share, readonly number[] | null>();
    await Promise.all(
      groups.map(async (group) => {
        const found = await consume(group);
        for (const [n, share] of group.entries()) replies.set(share, found[n] ?? null);
      }),
    );
    return shares.map((own) =>
      settle(
        own,
        own.map((share) => replies.get(share) ?? null),
      ),
    );
  });
}

function shareBySlot(redis: RedisStore, buckets: readonly Bucket[]): Share[] {
  const placed = buckets.map((bucket, index) => ({ bucket, position: index + 1 }));
  return redis
    .groupBySlot(placed, ({ bucket }) => bucket.key)
    .map((group) => ({
      positions: group.map(({ position }) => position),
      buckets: group.map(({ bucket }) => bucket),
    }));
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
