import { randomBytes } from 'node:crypto';
import {
  budgets,
  codeBudgets,
  type Budget,
  type BudgetName,
  type CodeBudget,
  type CodeBudgetName,
  type ErrorCode,
  type WorkSize,
} from '@unsaid/contract';
import { dayMs, readScriptTime, scriptTime, type Clock } from './clock.ts';
import { AppError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import type { Opaque } from './opaque.ts';
import { type RedisStore, RedisUnavailable } from './redis.ts';
import { together } from './together.ts';

/**
 * Two kinds of budget. Buckets (GCRA, one number a subject) for what people do all day: cheap, and a
 * burst over the edge of a window or a period harms nobody. Windows (an exact log) for codes, where every one
 * costs money or is a guess at somebody's account.
 */

export interface Refusal {
  readonly budget: string;
  readonly retryAfterMs: number;
}

interface BucketRequest {
  readonly budget: BudgetName;
  /** Who is counted. Redis sees only a keyed hash of it, another one for every bucket and period. */
  readonly subject: Buffer | string;
  readonly isNewcomer?: boolean;
  /** How many are taken; 1 unless it says otherwise. */
  readonly cost?: number;
}

interface WindowRequest {
  readonly budget: CodeBudgetName;
  readonly subject: string;
  /** Looks whether work is due for this budget; takes nothing from it, and is not refused by it. */
  readonly isPeek?: boolean;
  /** May draw on the part that is kept back for known devices. */
  readonly mayUseReserve?: boolean;
  /** Refuses only callers from whom no work is due: otherwise a look that takes nothing would tell what others took. */
  readonly isToldLast?: boolean;
}

/** The first `free` takes may follow at once, the others `gapMs` apart; forgotten after `forgetMs` of quiet. */
interface Spacing {
  readonly subject: string;
  readonly free: number;
  readonly gapMs: number;
  readonly forgetMs: number;
}

interface WindowOptions {
  readonly spacing?: Spacing;
  /** The work that came along. `any` where it is not asked for: what costs work is free then, and still counted. */
  readonly done?: WorkSize | 'any' | null;
  /** Work that is due for a reason besides the budgets. */
  readonly due?: { readonly reason: string; readonly work: WorkSize } | null;
}

export interface Taken {
  readonly refusal: Refusal | null;
  /** Nothing was taken: work has to come along first. */
  readonly workDue: { readonly size: WorkSize; readonly reasons: readonly string[] } | null;
  /** How many takes the spacing has seen in a row, this one included. */
  readonly inARow: number;
}

export interface Limiter {
  /** Takes the cost from each, or from none. Without Redis it counts in this process at half the limits. */
  takeFromBuckets(requests: readonly BucketRequest[]): Promise<Refusal | null>;
  /** Takes one from each, or from none. Without Redis it throws: codes fail closed. */
  takeFromWindows(requests: readonly WindowRequest[], options?: WindowOptions): Promise<Taken>;
  /** How much of the longest window is used, 0 to 1. */
  usedShare(request: WindowRequest): Promise<number>;
}

/**
 * All that a bucket knows of the time, so that even the holder of the master key cannot lay a value beside the second
 * of a vent. Rounded up and used as the clock itself: the error does not add up, and bursts stay possible.
 */
const tickMs = 10_000;

// Many callers at once, each with a few buckets and an answer of two numbers: which bucket refused (or 0), and
// the wait. Of ARGV, after the time: how many buckets a caller has, then a step, a window and a mask for each.
// A value is stored behind its mask. A key ends where a window or the period does, which says no more than that it was
// used in that window; the exact end would say when.
const bucketScript = `${readScriptTime}
local tick = math.ceil(now / ${tickMs}) * ${tickMs}
local expiry, from = 'PXAT', 0
if tonumber(ARGV[1]) then expiry, from = 'PX', now end
local at, done, answers = 2, 0, {}
while done < #KEYS do
  local count, due, refused, wait = tonumber(ARGV[at]), {}, 0, 0
  for i = 1, count do
    local step, window, mask = tonumber(ARGV[at + i * 3 - 2]), tonumber(ARGV[at + i * 3 - 1]), tonumber(ARGV[at + i * 3])
    local stored = redis.call('GET', KEYS[done + i])
    due[i] = math.max(stored and tonumber(stored) - mask or tick, tick) + step
    if due[i] - tick > window then
      refused, wait = i, math.ceil((due[i] - window) / ${tickMs}) * ${tickMs} - ${tickMs} - now + 1
      break
    end
  end
  if refused == 0 then
    for i = 1, count do
      local window, mask = tonumber(ARGV[at + i * 3 - 1]), tonumber(ARGV[at + i * 3])
      local period = math.max(window, ${dayMs})
      local ends = math.min((math.floor(tick / window) + 2) * window, (math.floor(tick / period) + 1) * period)
      redis.call('SET', KEYS[done + i], string.format('%.3f', due[i] + mask), expiry, string.format('%.0f', ends - from))
    end
  end
  table.insert(answers, refused)
  table.insert(answers, wait)
  done, at = done + count, at + count * 3 + 1
end
return answers`;

// Of ARGV, after the time: the entry's name, the work that came along, the work that is due anyway, the spacing
// (its gap 0 where there is none, else its key comes first), then for each window its limit, its length, the work
// that it costs to go over it (0: refused), whether it is only looked at and whether its refusal is told last. Other
// refusals are found before work is asked for, so that nobody works in vain. What is over a limit and paid for is
// let through and not noted: no log is ever longer than its limit.
const windowScript = `${readScriptTime}
local member, done, due = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local free, gap, forget = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local first, inARow = gap > 0 and 2 or 1, 0
if gap > 0 then
  local seen = redis.call('HMGET', KEYS[1], 'n', 'at')
  local at = tonumber(seen[2] or 0)
  inARow = now - at > forget and 0 or tonumber(seen[1] or 0)
  if inARow >= free and now - at < gap then return { 1, gap - (now - at), inARow } end
  inARow = inARow + 1
end
local open, over, refused = {}, {}, nil
for i = first, #KEYS do
  local base = 8 + (i - first) * 5
  local limit, window, work = tonumber(ARGV[base]), tonumber(ARGV[base + 1]), tonumber(ARGV[base + 2])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - window)
  if redis.call('ZCARD', KEYS[i]) < limit then
    if ARGV[base + 3] == '0' then table.insert(open, { KEYS[i], window }) end
  elseif work == 0 then
    local freeing = redis.call('ZRANGE', KEYS[i], -limit, -limit, 'WITHSCORES')
    local refusal = { i, tonumber(freeing[2]) + window - now, inARow }
    if ARGV[base + 4] == '0' then return refusal end
    refused = refused or refusal
  elseif work > done then
    table.insert(over, i)
  end
end
if #over > 0 or due > done then return { 0, 0, inARow, 1, unpack(over) } end
if refused then return refused end
for _, one in ipairs(open) do
  redis.call('ZADD', one[1], now, member)
  redis.call('PEXPIRE', one[1], one[2])
end
if gap > 0 then
  redis.call('HSET', KEYS[1], 'n', inARow, 'at', now)
  redis.call('PEXPIRE', KEYS[1], forget)
end
return { 0, 0, inARow, 0 }`;

interface LimiterOptions {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly opaque: Opaque;
  readonly scale: number;
}

export function createLimiter({ redis, clock, metrics, opaque, scale }: LimiterOptions): Limiter {
  const local = createLocalBuckets(clock);
  const takeBuckets = createBucketTaker(redis, clock);
  const runWindows = redis.script(windowScript);

  function refuse(budget: string, retryAfterMs: number): Refusal {
    metrics.budgetRefusals.inc({ budget });
    return { budget, retryAfterMs };
  }

  /**
   * Each bucket of a person has a name of its own in every period, so that no two can be joined. It begins anew with the
   * period: around midnight UTC, or around the end of a longer window, up to twice the limit may pass. For buckets that is
   * accepted; codes, where it would not be, are counted in windows.
   */
  function bucketOf({ budget, subject, isNewcomer, cost = 1 }: BucketRequest, one: Budget): BucketRow {
    const windowMs = one.windowSeconds * 1000;
    const period = Math.floor(clock.now() / Math.max(windowMs, dayMs));
    const kind = `${budget}:${one.windowSeconds}`;
    const { name, mask } = opaque.counter(`${kind}:${period}`, subject);
    return {
      budget,
      key: `bucket:${kind}:${name}`,
      limit: (isNewcomer ? (one.newcomerLimit ?? one.limit) : one.limit) * scale,
      windowMs,
      cost,
      mask,
    };
  }

  return {
    async takeFromBuckets(requests) {
      const rows = requests
        .filter(({ cost }) => cost !== 0)
        .flatMap((request) =>
          (budgets[request.budget] as readonly Budget[]).map((one) => bucketOf(request, one)),
        );
      try {
        const [index, retryAfterMs] = await takeBuckets(rows);
        const refused = rows[index - 1];
        return refused ? refuse(refused.budget, retryAfterMs) : null;
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        for (const row of rows) {
          const retryAfterMs = local.take({ ...row, limit: Math.max(1, row.limit / 2) });
          if (retryAfterMs > 0) return refuse(row.budget, retryAfterMs);
        }
        return null;
      }
    },

    async takeFromWindows(requests, { spacing, done = null, due = null } = {}) {
      const rows = requests.flatMap((request) => windowsOf(request).map((one) => rowOf(request, one, scale)));
      const keys = [...(spacing ? [`spacing:${spacing.subject}`] : []), ...rows.map((row) => row.key)];
      const member = randomBytes(9).toString('base64url');
      const [index, retryAfterMs, inARow, isWorkDue, ...over] = (await runWindows(keys, [
        scriptTime(clock),
        member,
        done === 'any' ? workRank.harder : rankOf(done),
        rankOf(due?.work),
        spacing?.free ?? 0,
        spacing?.gapMs ?? 0,
        spacing?.forgetMs ?? 0,
        ...rows.flatMap(({ limit, windowMs, work, isPeek, isToldLast }) => [
          limit,
          windowMs,
          rankOf(work),
          Number(isPeek),
          Number(isToldLast),
        ]),
      ])) as [number, number, number, number, ...number[]];
      const rowAt = (position: number) => rows[position - (spacing ? 2 : 1)];
      const owed = [
        ...over.map((position) => ({ reason: rowAt(position)?.budget ?? '', work: rowAt(position)?.work })),
        ...(due ? [due] : []),
      ];
      return {
        refusal: index > 0 ? refuse(rowAt(index)?.budget ?? 'spacing', retryAfterMs) : null,
        workDue: isWorkDue
          ? {
              size: owed.some(({ work }) => work === 'harder') ? 'harder' : 'usual',
              reasons: owed.map(({ reason }) => reason),
            }
          : null,
        inARow,
      };
    },

    async usedShare(request) {
      const longest = windowsOf(request).reduce((a, b) => (b.windowSeconds > a.windowSeconds ? b : a));
      const { key, limit, windowMs } = rowOf({ ...request, mayUseReserve: true }, longest, scale);
      const since = clock.now() - windowMs;
      return (await redis.run((client) => client.zcount(key, `(${since}`, '+inf'))) / limit;
    },
  };
}

const workRank = { usual: 1, harder: 2 } as const;

function rankOf(work: WorkSize | null | undefined): number {
  return work ? workRank[work] : 0;
}

function windowsOf({ budget, isPeek }: WindowRequest): readonly CodeBudget[] {
  const windows: readonly CodeBudget[] = codeBudgets[budget];
  return isPeek ? windows.filter(({ work }) => work) : windows;
}

function rowOf(
  { budget, subject, isPeek, mayUseReserve, isToldLast }: WindowRequest,
  one: CodeBudget,
  scale: number,
) {
  return {
    budget,
    // An address may have two windows of one length: what is free, and what is all.
    key: `window:${budget}:${one.windowSeconds}:${one.work ? 'free:' : ''}${subject}`,
    limit: (one.limit - (mayUseReserve ? 0 : (one.reserved ?? 0))) * scale,
    windowMs: one.windowSeconds * 1000,
    work: one.work,
    isPeek: isPeek ?? false,
    isToldLast: isToldLast ?? false,
  };
}

interface BucketRow {
  readonly budget: BudgetName;
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly cost: number;
  /** Added to what is stored; only the master key can take it off again. */
  readonly mask: number;
}

/** Each caller whole or not at all, in one script for all who ask at once. */
function createBucketTaker(redis: RedisStore, clock: Clock) {
  const run = redis.script(bucketScript);
  return together(
    async (
      callers: readonly (readonly BucketRow[])[],
    ): Promise<[refusedBy: number, retryAfterMs: number][]> => {
      const keys = callers.flatMap((rows) => rows.map(({ key }) => key));
      const args = callers.flatMap((rows) => [
        rows.length,
        ...rows.flatMap(({ limit, windowMs, cost, mask }) => [(windowMs / limit) * cost, windowMs, mask]),
      ]);
      const numbers = (await run(keys, [scriptTime(clock), ...args])) as number[];
      return callers.map((_, position) => [numbers[position * 2] ?? 0, numbers[position * 2 + 1] ?? 0]);
    },
  );
}

/** The same bucket in this process, for the time Redis is away. The oldest subjects make room. */
function createLocalBuckets(clock: Clock, maxSubjects = 50_000) {
  const dueBySubject = new Map<string, number>();
  return {
    /** Milliseconds to wait, 0 when it was taken. */
    take({ key, limit, windowMs, cost }: BucketRow): number {
      const now = clock.now();
      const tick = Math.ceil(now / tickMs) * tickMs;
      const kept = dueBySubject.get(key) ?? tick;
      // Nothing is due later than a window from now, unless the clock was set back since.
      const due = (kept > tick + windowMs ? tick : Math.max(kept, tick)) + (windowMs / limit) * cost;
      if (due - tick > windowMs) return Math.ceil((due - windowMs) / tickMs) * tickMs - tickMs - now + 1;
      dueBySubject.delete(key);
      dueBySubject.set(key, due);
      if (dueBySubject.size > maxSubjects) {
        const [oldest] = dueBySubject.keys();
        if (oldest !== undefined) dueBySubject.delete(oldest);
      }
      return 0;
    },
  };
}

/** A refusal as the caller is told it: when to come back, not which budget ran out. */
export function refusalError(code: ErrorCode, { retryAfterMs }: Refusal): AppError {
  return new AppError(code, { retryAfterSeconds: retryAfterSeconds(retryAfterMs) });
}

/** Rounded up, so that the wait does not tell which budget ran out, or when it was begun. */
export function retryAfterSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000);
  const step = seconds <= 60 ? 5 : seconds <= 600 ? 60 : seconds <= 3600 ? 600 : 3600;
  return Math.max(step, Math.ceil(seconds / step) * step);
}
