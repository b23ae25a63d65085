import { dayMs, expiryStepMs, luaReadClock } from './clock.ts';

/**
 * What Redis keeps of a limit: one key, in a slot of its own. A token bucket (GCRA) is a number, the time at which it is
 * full again. An exact window is a sorted set of the times of use (sliding log). Times have the mask of their key, so that
 * a copy of Redis tells no moment.
 */

/**
 * The resolution of buckets. A finer time could be compared with the time of a vent, even by someone who has the master
 * key. Times are rounded up and the rounded clock is used throughout, so the error does not accumulate.
 */
export const tickMs = 10_000;

/** One of the limits of a caller, for the script. */
export interface LimitArgs {
  readonly mask: number;
  /** The length of the window. */
  readonly ms: number;
  /** Of a bucket: the time in which the tokens of this use are refilled. */
  readonly cost?: number;
  /** Of a window. */
  readonly limit?: number;
  /** Another in each window: by an equal one, windows of one call could be joined. */
  readonly member?: string;
  /** A use is stored at the next full step of this length. */
  readonly stepMs?: number;
  /** Of a cooldown, whose window restarts with each use: the uses that may follow at once; later ones wait for `gapMs`. */
  readonly free?: number;
  readonly gapMs?: number;
  /** Is read, and consumed by no use. */
  readonly peek?: boolean;
  /** The others are consumed even if this one is full. */
  readonly isOptional?: boolean;
}

// Handles many callers at once: args[n] is the list of the n-th caller's limits, KEYS holds their keys in the same order.
// For each caller it consumes from all limits or from none. Returns for each caller the tick if it was consumed, or else 0,
// then for each limit the wait, 0 if it is not full, and the uses before this one (0 for a bucket). A bucket expires at
// the end of a window or period, which reveals only that it was used in that window; an exact expiry would reveal when.
export const consumeScript = `${luaReadClock}
local tick = math.ceil(now / ${tickMs}) * ${tickMs}
local expire, from = 'PEXPIREAT', 0
if tonumber(ARGV[1]) then expire, from = 'PEXPIRE', now end

local function readBucket(key, limit)
  local stored = redis.call('GET', key)
  limit.due = math.max(stored and tonumber(stored) - limit.mask or tick, tick) + limit.cost
  local over = limit.due - limit.ms
  return over > tick and math.ceil(over / ${tickMs}) * ${tickMs} - ${tickMs} - now + 1 or 0, 0
end

local function readCooldown(key, limit)
  local last = tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] or 0)
  local since = now + limit.mask - last
  if since > limit.ms then redis.call('DEL', key) end
  local uses = redis.call('ZCARD', key)
  return uses >= limit.free and math.max(0, limit.gapMs - since) or 0, uses
end

local function readWindow(key, limit)
  if limit.free then return readCooldown(key, limit) end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now + limit.mask - limit.ms)
  local uses = redis.call('ZCARD', key)
  if uses < limit.limit then return 0, uses end
  if limit.limit < 1 then return limit.ms, uses end
  local freeing = redis.call('ZRANGE', key, -limit.limit, -limit.limit, 'WITHSCORES')
  return tonumber(freeing[2]) - limit.mask + limit.ms - now, uses
end

local function consume(key, limit)
  local step, ends = ${expiryStepMs}, math.huge
  if limit.cost then
    local period = math.max(limit.ms, ${dayMs})
    step, ends = limit.ms, (math.floor(tick / period) + 1) * period
    redis.call('SET', key, string.format('%.3f', limit.due + limit.mask))
  else
    redis.call('ZADD', key, math.ceil(now / limit.stepMs) * limit.stepMs + limit.mask, limit.member)
  end
  ends = math.min(ends, (math.floor((tick + limit.ms) / step) + 1) * step)
  redis.call(expire, key, string.format('%.0f', ends - from))
end

local offset, replies = 0, {}
for _, limits in ipairs(cjson.decode(ARGV[2])) do
  local at, head, open = tick, #replies + 1, {}
  replies[head] = 0
  for i, limit in ipairs(limits) do
    local wait, uses = (limit.cost and readBucket or readWindow)(KEYS[offset + i], limit)
    table.insert(replies, wait)
    table.insert(replies, uses)
    if wait > 0 and not limit.isOptional then at = 0 end
    if wait == 0 and not limit.peek then table.insert(open, i) end
  end
  if at > 0 then
    for _, i in ipairs(open) do consume(KEYS[offset + i], limits[i]) end
  end
  replies[head] = at
  offset = offset + #limits
end
return replies`;

// ARGV: clock, the tick of the use, its limits. A bucket gets its tokens back if it is still that tick: later, it may have
// emptied without them, and others would get more than the limit.
export const giveBackScript = `${luaReadClock}
local tick = math.ceil(now / ${tickMs}) * ${tickMs}
for i, limit in ipairs(cjson.decode(ARGV[3])) do
  local stored = limit.cost and tick == tonumber(ARGV[2]) and redis.call('GET', KEYS[i])
  if stored then redis.call('SET', KEYS[i], string.format('%.3f', tonumber(stored) - limit.cost), 'KEEPTTL') end
  if limit.member then redis.call('ZREM', KEYS[i], limit.member) end
end`;
