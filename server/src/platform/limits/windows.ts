import { randomBytes } from 'node:crypto';
import { luaClockArg, luaCoarseLife, luaReadClock, type Clock } from '../clock.ts';
import type { RedisCrypto } from '../crypto/redis-crypto.ts';
import type { RedisStore } from '../redis.ts';
import { slotTag } from '../slots.ts';

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
  /** Counted in steps of this length, not use by use: for a window of everybody, whose log would have no bound. */
  readonly stepSeconds?: number | undefined;
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

// Counts in steps: a hash from the number of a step, with the mask, to its uses; n = their sum, f = the first step that is
// counted. A step leaves when the window has passed all of it, so the count is never too low.
const luaSteps = `
local function stepOf(window, at) return math.floor((at + window.mask) / window.step) end
local function countSteps(key, window)
  local known, from = redis.call('HMGET', key, 'n', 'f'), stepOf(window, now - window.ms)
  local n, first = tonumber(known[1] or 0), tonumber(known[2] or from)
  if first >= from then return n, first end
  if from - first > window.ms / window.step + 1 then
    redis.call('DEL', key)
    return 0, from
  end
  for step = first, from - 1 do
    local uses = redis.call('HGET', key, step)
    if uses then
      n = n - tonumber(uses)
      redis.call('HDEL', key, step)
    end
  end
  redis.call('HSET', key, 'n', n, 'f', from)
  return n, from
end
local function waitForStep(key, window, n, step)
  local tooMany = n - window.limit + 1
  while tooMany > 0 and step <= stepOf(window, now) do
    tooMany = tooMany - tonumber(redis.call('HGET', key, step) or 0)
    step = step + 1
  end
  return step * window.step - window.mask + window.ms - now
end`;

// KEYS holds the windows' keys in the order of args.windows, then the cooldown's key. Returns the position of the window
// that rejected (0 for none, one past the windows for the cooldown), the wait, the number of consecutive uses, and the
// time of the use if it was recorded, or else 0. Then follow the positions that it was recorded in, or else of the full
// windows to report.
const consumeScript = `${luaReadClock}${luaCoarseLife}${luaSteps}
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
  local uses, first
  if window.step then
    uses, first = countSteps(KEYS[i], window)
  else
    redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now + window.mask - window.ms)
    uses = redis.call('ZCARD', KEYS[i])
  end
  if uses < window.limit then
    if not window.peek then table.insert(open, i) end
  elseif window.whenFull == 'report' then
    table.insert(full, i)
  elseif window.whenFull ~= 'pass' then
    local wait
    if window.limit < 1 then
      wait = window.ms
    elseif window.step then
      wait = waitForStep(KEYS[i], window, uses, first)
    else
      local freeing = redis.call('ZRANGE', KEYS[i], -window.limit, -window.limit, 'WITHSCORES')
      wait = tonumber(freeing[2]) - window.mask + window.ms - now
    end
    local rejection = { i, wait, consecutive, 0 }
    if window.whenFull == 'reject' then return rejection end
    rejectedLast = rejectedLast or rejection
  end
end
if #full > 0 or args.dryRun and not rejectedLast then return { 0, 0, consecutive, 0, unpack(full) } end
if rejectedLast then return rejectedLast end
for _, i in ipairs(open) do
  local key, window = KEYS[i], windows[i]
  if window.step then
    redis.call('HINCRBY', key, stepOf(window, now), 1)
    redis.call('HINCRBY', key, 'n', 1)
    redis.call('HSETNX', key, 'f', stepOf(window, now - window.ms))
  else
    redis.call('ZADD', key, now + window.mask, window.member)
  end
  redis.call('PEXPIRE', key, coarseLife(window.ms))
end
if cooldown then
  redis.call('HSET', cooldownKey, 'n', consecutive, 'at', now + cooldown.mask)
  redis.call('PEXPIRE', cooldownKey, coarseLife(cooldown.resetAfterMs))
end
return { 0, 0, consecutive, now, unpack(open) }`;

// ARGV[2]: the time of the use that is taken back. The cooldown stays: it is the caller's own.
const giveBackScript = `${luaReadClock}${luaSteps}
for i, window in ipairs(cjson.decode(ARGV[3])) do
  if not window.step then redis.call('ZREM', KEYS[i], window.member)
  elseif tonumber(redis.call('HGET', KEYS[i], stepOf(window, tonumber(ARGV[2]))) or 0) > 0 then
    redis.call('HINCRBY', KEYS[i], stepOf(window, tonumber(ARGV[2])), -1)
    redis.call('HINCRBY', KEYS[i], 'n', -1)
  end
end`;

const countScript = `${luaReadClock}${luaSteps}
local window = cjson.decode(ARGV[2])
if window.step then return (countSteps(KEYS[1], window)) end
return redis.call('ZCOUNT', KEYS[1], string.format('(%.17g', now + window.mask - window.ms), '+inf')`;

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

/** Windows of one subject share a slot: their names have the subject in common anyway. */
export const windowKey = ({ budget, windowSeconds, subject }: Omit<Window, 'limit'>) =>
  `window:${budget}:${windowSeconds}:${slotTag(subject.replace(/^free:/u, ''))}:${subject}`;

interface WindowDeps {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly redisCrypto: RedisCrypto;
  readonly scale: number;
}

type ScriptReply = readonly [
  rejectedBy: number,
  retryAfterMs: number,
  consecutive: number,
  at: number,
  ...positions: number[],
];

/** A window or the cooldown, which comes last. */
interface Place {
  readonly key: string;
  readonly position: number;
  readonly args: object | null;
}

/** The places of one slot, with what the script replied. */
interface Answer {
  readonly places: readonly Place[];
  readonly reply: ScriptReply;
}

/**
 * Consumes one use from each window or from none, in one script. In a cluster each slot is asked first, and then reserves
 * on its own; if one rejects meanwhile, the others give back. Limits may be too strict for a moment, never too loose.
 * Asked first, because a flood of calls that are rejected anyway would hold what is left of the windows of everybody.
 */
export function createWindowConsumer({
  redis,
  clock,
  redisCrypto,
  scale,
}: WindowDeps): (windows: readonly Window[], options: WindowOptions) => Promise<WindowReply> {
  const run = redis.script(consumeScript, { isKept: true });
  const ask = redis.script(consumeScript);
  const runGiveBack = redis.script(giveBackScript);

  async function askOrConsume(
    groups: readonly (readonly Place[])[],
    cooldownAt: number,
    { cooldown, dryRun }: { readonly cooldown: object | undefined; readonly dryRun: boolean },
  ): Promise<readonly PromiseSettledResult<Answer>[]> {
    return Promise.allSettled(
      groups.map(async (places) => {
        const windows = places.filter(({ position }) => position !== cooldownAt);
        const args = {
          dryRun,
          windows: windows.map(({ args }) => args),
          ...(windows.length < places.length ? { cooldown } : {}),
        };
        const reply = await (dryRun ? ask : run)(
          places.map(({ key }) => key),
          [luaClockArg(clock), JSON.stringify(args)],
        );
        return { places, reply: reply as ScriptReply };
      }),
    );
  }

  /** Not retried: a second time would give back too much. Nor is it awaited. */
  function giveBack({ places, reply: [, , , at, ...positions] }: Answer): void {
    const taken = positions.map((position) => places[position - 1] as Place);
    if (taken.length === 0) return;
    void runGiveBack(
      taken.map(({ key }) => key),
      [luaClockArg(clock), at, JSON.stringify(taken.map(({ args }) => args))],
    ).catch(() => {});
  }

  return async (windows, { cooldown, dryRun = false }) => {
    const cooldownAt = windows.length + 1;
    const places: Place[] = windows.map((window, index) => ({
      key: windowKey(window),
      position: index + 1,
      args: {
        // Another in each window: by an equal one, windows of one call could be joined.
        member: randomBytes(9).toString('base64url'),
        ...argsOf(redisCrypto, window, scale),
        peek: window.peek ?? false,
        whenFull: window.whenFull ?? 'reject',
      },
    }));
    if (cooldown) places.push({ key: `spacing:${cooldown.subject}`, position: cooldownAt, args: null });
    const options = {
      dryRun,
      cooldown: cooldown && { ...cooldown, mask: redisCrypto.counter('spacing', cooldown.subject).mask },
    };
    const groups = redis.groupBySlot(places, ({ key }) => key);
    if (groups.length > 1) {
      const asked = merge(
        windows,
        await askOrConsume(groups, cooldownAt, { ...options, dryRun: true }),
        dryRun,
      );
      if (dryRun || asked.rejectedBy > 0 || asked.full.length > 0) return asked;
    }
    const results = await askOrConsume(groups, cooldownAt, options);
    const taken = results.flatMap((result) =>
      result.status === 'fulfilled' && result.value.reply[3] > 0 ? [result.value] : [],
    );
    if (taken.length > 0 && taken.length < groups.length) taken.forEach(giveBack);
    return merge(windows, results, dryRun);
  };
}

/** What all slots say together, in the order of a single script. Throws what one of them threw. */
function merge(
  windows: readonly Window[],
  results: readonly PromiseSettledResult<Answer>[],
  dryRun: boolean,
): WindowReply {
  const answers = results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  const [cooldownAt, consecutive] = [windows.length + 1, Math.max(...answers.map(({ reply }) => reply[2]))];
  const at = (places: readonly Place[], position: number) => places[position - 1]?.position ?? 0;
  const full = answers.flatMap(({ places, reply: [rejectedBy, , , isRecorded, ...positions] }) =>
    rejectedBy > 0 || isRecorded > 0 ? [] : positions.map((position) => at(places, position)),
  );
  const isLast = (position: number) => windows[position - 1]?.whenFull === 'rejectLast';
  /** The cooldown first, then in order, then those that are told last, if nothing else keeps the use from being recorded. */
  const rank = (position: number) =>
    position === cooldownAt ? 0 : isLast(position) ? position + cooldownAt : position;
  const [first] = answers
    .map(({ places, reply: [rejectedBy, retryAfterMs] }) => ({
      rejectedBy: at(places, rejectedBy),
      retryAfterMs,
    }))
    .filter(({ rejectedBy }) => rejectedBy > 0 && !(isLast(rejectedBy) && (dryRun || full.length > 0)))
    .toSorted((a, b) => rank(a.rejectedBy) - rank(b.rejectedBy));
  return {
    ...(first ?? { rejectedBy: 0, retryAfterMs: 0 }),
    consecutive,
    isRecorded: answers.every(({ reply }) => reply[3] > 0),
    full: first ? [] : full.toSorted((a, b) => a - b),
  };
}

function argsOf(redisCrypto: RedisCrypto, window: Window, scale: number) {
  return {
    limit: window.limit * scale,
    ms: window.windowSeconds * 1000,
    mask: windowMask(redisCrypto, window),
    ...(window.stepSeconds === undefined ? {} : { step: window.stepSeconds * 1000 }),
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
    const args = argsOf(redisCrypto, window, scale);
    const used = (await count([windowKey(window)], [luaClockArg(clock), JSON.stringify(args)])) as number;
    return used / args.limit;
  };
}
