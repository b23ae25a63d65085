import { randomBytes } from 'node:crypto';
import { luaClockArg, luaCoarseLife, luaReadClock, type Clock } from '../clock.ts';
import type { RedisCrypto } from '../crypto/redis-crypto.ts';
import type { RedisStore } from '../redis.ts';

/**
 * Sliding log (exact sliding windows): the times of use in a sorted set. Never more than the limit in any window. Times
 * are stored with a mask of their key, so that a copy of Redis tells no moment.
 */

export interface Window {
  /** The name in metrics and rejections. */
  readonly budget: string;
  readonly subject: string;
  /** Multiplied by the limiter's scale. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Checks the window and records nothing in it. */
  readonly peek?: boolean;
  /**
   * What a full window means.
   * - `reject` (default): nothing is consumed, and the caller is told to wait.
   * - `rejectLast`: the same, but only after every other reason to consume nothing.
   * - `report`: nothing is consumed, and the window is in the result's `full`.
   * - `pass`: the other windows are consumed, and nothing is recorded here. That bounds each log by its limit.
   */
  readonly whenFull?: 'reject' | 'rejectLast' | 'report' | 'pass';
}

/** The first `free` uses may follow at once, later ones `cooldownMs` apart. Reset after `resetAfterMs` without a use. */
export interface Cooldown {
  readonly subject: string;
  readonly free: number;
  readonly cooldownMs: number;
  readonly resetAfterMs: number;
}

export interface WindowOptions {
  readonly cooldown?: Cooldown;
  /** Checks everything, and consumes nothing. */
  readonly dryRun?: boolean;
}

// KEYS holds the windows' keys in the order of args.windows, then the cooldown's key. Returns the position of the window
// that rejected (0 for none, one past the windows for the cooldown), the wait, the number of consecutive uses, 1 if the
// use was recorded, and the positions of the full windows to report.
const consumeScript = `${luaReadClock}${luaCoarseLife}
local args = cjson.decode(ARGV[2])
local windows, cooldown, consecutive = args.windows, args.cooldown, 0
local cooldownKey = KEYS[#windows + 1]
if cooldown then
  local last = redis.call('HMGET', cooldownKey, 'n', 'at')
  local since = now + cooldown.mask - tonumber(last[2] or 0)
  consecutive = since > cooldown.resetAfterMs and 0 or tonumber(last[1] or 0)
  if consecutive >= cooldown.free and since < cooldown.cooldownMs then
    return { #windows + 1, cooldown.cooldownMs - since, consecutive, 0 }
  end
  consecutive = consecutive + 1
end
local open, full, rejectedLast = {}, {}, nil
for i, window in ipairs(windows) do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now + window.mask - window.ms)
  if redis.call('ZCARD', KEYS[i]) < window.limit then
    if not window.peek then table.insert(open, i) end
  elseif window.whenFull == 'report' then
    table.insert(full, i)
  elseif window.whenFull ~= 'pass' then
    local freeing = redis.call('ZRANGE', KEYS[i], -window.limit, -window.limit, 'WITHSCORES')
    local rejection = { i, tonumber(freeing[2]) - window.mask + window.ms - now, consecutive, 0 }
    if window.whenFull == 'reject' then return rejection end
    rejectedLast = rejectedLast or rejection
  end
end
if #full > 0 or args.dryRun then return { 0, 0, consecutive, 0, unpack(full) } end
if rejectedLast then return rejectedLast end
for _, i in ipairs(open) do
  redis.call('ZADD', KEYS[i], now + windows[i].mask, windows[i].member)
  redis.call('PEXPIRE', KEYS[i], coarseLife(windows[i].ms))
end
if cooldown then
  redis.call('HSET', cooldownKey, 'n', consecutive, 'at', now + cooldown.mask)
  redis.call('PEXPIRE', cooldownKey, coarseLife(cooldown.resetAfterMs))
end
return { 0, 0, consecutive, 1 }`;

const countScript = `${luaReadClock}
return redis.call('ZCOUNT', KEYS[1], string.format('(%.17g', now + tonumber(ARGV[3]) - tonumber(ARGV[2])), '+inf')`;

interface WindowReply {
  /** Counts from 1; 0 for none, one past the windows for the cooldown. */
  readonly rejectedBy: number;
  readonly retryAfterMs: number;
  readonly consecutive: number;
  readonly isRecorded: boolean;
  /** Positions of the windows to report, from 1. */
  readonly full: readonly number[];
}

/** What is added to the times of a window. */
export const windowMask = (
  redisCrypto: RedisCrypto,
  { budget, windowSeconds, subject }: Omit<Window, 'limit'>,
) => redisCrypto.counter(`window:${budget}:${windowSeconds}`, subject).mask;

const keyOf = ({ budget, windowSeconds, subject }: Window) => `window:${budget}:${windowSeconds}:${subject}`;

interface WindowDeps {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly redisCrypto: RedisCrypto;
  readonly scale: number;
}

/** Consumes one use from each window or from none, in one script. */
export function createWindowConsumer({
  redis,
  clock,
  redisCrypto,
  scale,
}: WindowDeps): (windows: readonly Window[], options: WindowOptions) => Promise<WindowReply> {
  const run = redis.script(consumeScript);
  return async (windows, { cooldown, dryRun = false }) => {
    const keys = windows.map(keyOf);
    if (cooldown) keys.push(`spacing:${cooldown.subject}`);
    const args = {
      dryRun,
      cooldown: cooldown && { ...cooldown, mask: redisCrypto.counter('spacing', cooldown.subject).mask },
      windows: windows.map((window) => ({
        // Another in each window: by an equal one, windows of one call could be joined.
        member: randomBytes(9).toString('base64url'),
        limit: window.limit * scale,
        ms: window.windowSeconds * 1000,
        mask: windowMask(redisCrypto, window),
        peek: window.peek ?? false,
        whenFull: window.whenFull ?? 'reject',
      })),
    };
    const [rejectedBy, retryAfterMs, consecutive, recorded, ...full] = (await run(keys, [
      luaClockArg(clock),
      JSON.stringify(args),
    ])) as [number, number, number, number, ...number[]];
    return { rejectedBy, retryAfterMs, consecutive, isRecorded: recorded === 1, full };
  };
}

/** How much of a window is used, 0 to 1. */
export function createWindowUsage({
  redis,
  clock,
  redisCrypto,
  scale,
}: WindowDeps): (window: Window) => Promise<number> {
  const count = redis.script(countScript);
  return async (window) => {
    const used = (await count(
      [keyOf(window)],
      [luaClockArg(clock), window.windowSeconds * 1000, windowMask(redisCrypto, window)],
    )) as number;
    return used / (window.limit * scale);
  };
}
