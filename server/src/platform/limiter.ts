import { randomBytes } from 'node:crypto';
import {
  budgets,
  codeBudgets,
  type Budget,
  type BudgetName,
  type CodeBudgetName,
  type ErrorCode,
} from '@unsaid/contract';
import type { Clock } from './clock.ts';
import { AppError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { type RedisStore, RedisUnavailable } from './redis.ts';

/**
 * Two kinds of budget. Buckets (GCRA, one number a subject) for what people do all day: cheap, and a
 * short burst over a window's edge harms nobody. Windows (an exact log) for codes, where every one
 * costs money or is a guess at somebody's account.
 */

export interface Refusal {
  readonly budget: string;
  readonly retryAfterMs: number;
}

interface BucketRequest {
  readonly budget: BudgetName;
  readonly subject: string;
  readonly isNewcomer?: boolean;
}

interface WindowRequest {
  readonly budget: CodeBudgetName;
  readonly subject: string;
}

/** The first `free` takes may follow at once, the others `gapMs` apart; forgotten after `forgetMs` of quiet. */
interface Spacing {
  readonly subject: string;
  readonly free: number;
  readonly gapMs: number;
  readonly forgetMs: number;
}

export interface Taken {
  readonly refusal: Refusal | null;
  /** How many takes the spacing has seen in a row, this one included. */
  readonly inARow: number;
  /** Gives back what was taken: a right answer is no failure. */
  refund(): Promise<void>;
}

export interface Limiter {
  /** Takes one from each, or from none. Without Redis it counts in this process at half the limits. */
  takeFromBuckets(requests: readonly BucketRequest[]): Promise<Refusal | null>;
  /** Takes one from each, or from none. Without Redis it throws: codes fail closed. */
  takeFromWindows(requests: readonly WindowRequest[], spacing?: Spacing): Promise<Taken>;
  /** How much of the longest window is used, 0 to 1. */
  usedShare(request: WindowRequest): Promise<number>;
  forgetWindow(request: WindowRequest): Promise<void>;
}

// Many callers at once, each with a few buckets and an answer of two numbers: which bucket refused (or 0), and
// the wait. Of ARGV, after the time: how many buckets a caller has, then a limit and a window for each.
const bucketScript = `
local now, at, done, answers = tonumber(ARGV[1]), 2, 0, {}
while done < #KEYS do
  local count, due, refused, wait = tonumber(ARGV[at]), {}, 0, 0
  for i = 1, count do
    local window = tonumber(ARGV[at + i * 2])
    local step = window / tonumber(ARGV[at + i * 2 - 1])
    due[i] = math.max(tonumber(redis.call('GET', KEYS[done + i]) or now), now) + step
    if due[i] - now > window then
      refused, wait = i, math.ceil(due[i] - now - window)
      break
    end
  end
  if refused == 0 then
    for i = 1, count do
      redis.call('SET', KEYS[done + i], string.format('%.3f', due[i]), 'PX', math.ceil(due[i] - now) + 1000)
    end
  end
  table.insert(answers, refused)
  table.insert(answers, wait)
  done, at = done + count, at + count * 2 + 1
end
return answers`;

const windowScript = `
local now, member, first = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local inARow = 0
if first == 2 then
  local free, gap, forget = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local seen = redis.call('HMGET', KEYS[1], 'n', 'at')
  local at = tonumber(seen[2] or 0)
  inARow = now - at > forget and 0 or tonumber(seen[1] or 0)
  if inARow >= free and now - at < gap then return { 1, gap - (now - at), inARow } end
  inARow = inARow + 1
end
for i = first, #KEYS do
  local limit, window = tonumber(ARGV[5 + (i - first + 1) * 2]), tonumber(ARGV[6 + (i - first + 1) * 2])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - window)
  if redis.call('ZCARD', KEYS[i]) >= limit then
    local freeing = redis.call('ZRANGE', KEYS[i], -limit, -limit, 'WITHSCORES')
    return { i, tonumber(freeing[2]) + window - now, inARow }
  end
end
for i = first, #KEYS do
  redis.call('ZADD', KEYS[i], now, member)
  redis.call('PEXPIRE', KEYS[i], ARGV[6 + (i - first + 1) * 2])
end
if first == 2 then
  redis.call('HSET', KEYS[1], 'n', inARow, 'at', now)
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
end
return { 0, 0, inARow }`;

interface LimiterOptions {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly scale: number;
}

export function createLimiter({ redis, clock, metrics, scale }: LimiterOptions): Limiter {
  const local = createLocalBuckets(clock);
  const takeBuckets = createBucketTaker(redis, clock);
  const runWindows = redis.script(windowScript);

  function refuse(budget: string, retryAfterMs: number): Refusal {
    metrics.budgetRefusals.inc({ budget });
    return { budget, retryAfterMs };
  }

  return {
    async takeFromBuckets(requests) {
      const rows: BucketRow[] = requests.flatMap(({ budget, subject, isNewcomer }) =>
        (budgets[budget] as readonly Budget[]).map(({ limit, windowSeconds, newcomerLimit }) => ({
          budget,
          key: `bucket:${budget}:${windowSeconds}:${subject}`,
          limit: (isNewcomer ? (newcomerLimit ?? limit) : limit) * scale,
          windowMs: windowSeconds * 1000,
        })),
      );
      try {
        const [index, retryAfterMs] = await takeBuckets(rows);
        const refused = rows[index - 1];
        return refused ? refuse(refused.budget, retryAfterMs) : null;
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        for (const row of rows) {
          const retryAfterMs = local.take(row.key, Math.max(1, row.limit / 2), row.windowMs);
          if (retryAfterMs > 0) return refuse(row.budget, retryAfterMs);
        }
        return null;
      }
    },

    async takeFromWindows(requests, spacing) {
      const rows = requests.flatMap(({ budget, subject }) =>
        codeBudgets[budget].map(({ limit, windowSeconds }) => ({
          budget,
          key: windowKey({ budget, subject }, windowSeconds),
          limit: limit * scale,
          windowMs: windowSeconds * 1000,
        })),
      );
      const keys = [...(spacing ? [`spacing:${spacing.subject}`] : []), ...rows.map((row) => row.key)];
      const member = randomBytes(9).toString('base64url');
      const [index, retryAfterMs, inARow] = (await runWindows(keys, [
        clock.now(),
        member,
        spacing ? 2 : 1,
        spacing?.free ?? 0,
        spacing?.gapMs ?? 0,
        spacing?.forgetMs ?? 0,
        ...rows.flatMap((row) => [row.limit, row.windowMs]),
      ])) as [number, number, number];
      const refusedBy = spacing
        ? index === 1
          ? 'spacing'
          : rows[index - 2]?.budget
        : rows[index - 1]?.budget;
      return {
        refusal: index > 0 ? refuse(refusedBy ?? '', retryAfterMs) : null,
        inARow,
        async refund() {
          await redis.run((client) => Promise.all(rows.map((row) => client.zrem(row.key, member))));
        },
      };
    },

    async usedShare(request) {
      const { limit, windowSeconds } = codeBudgets[request.budget].reduce((a, b) =>
        b.windowSeconds > a.windowSeconds ? b : a,
      );
      const since = clock.now() - windowSeconds * 1000;
      const key = windowKey(request, windowSeconds);
      return (await redis.run((client) => client.zcount(key, `(${since}`, '+inf'))) / (limit * scale);
    },

    async forgetWindow(request) {
      const keys = codeBudgets[request.budget].map(({ windowSeconds }) => windowKey(request, windowSeconds));
      await redis.run((client) => client.del(...keys));
    },
  };
}

interface BucketRow {
  readonly budget: BudgetName;
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** A script runs for few or many at the same price to Node, so whoever asks in one turn of the event loop goes together. */
function createBucketTaker(redis: RedisStore, clock: Clock) {
  const run = redis.script(bucketScript);
  let together: { readonly callers: (readonly BucketRow[])[]; readonly answers: Promise<number[]> } | null =
    null;

  function gather() {
    const callers: (readonly BucketRow[])[] = [];
    const answers = new Promise<void>((resolve) => void setImmediate(resolve)).then(() => {
      together = null;
      const args = callers.flatMap((rows) => [
        rows.length,
        ...rows.flatMap(({ limit, windowMs }) => [limit, windowMs]),
      ]);
      const keys = callers.flatMap((rows) => rows.map(({ key }) => key));
      return run(keys, [clock.now(), ...args]) as Promise<number[]>;
    });
    return { callers, answers };
  }

  return async (rows: readonly BucketRow[]): Promise<[refusedBy: number, retryAfterMs: number]> => {
    const { callers, answers } = (together ??= gather());
    const position = callers.push(rows) - 1;
    const numbers = await answers;
    return [numbers[position * 2] ?? 0, numbers[position * 2 + 1] ?? 0];
  };
}

function windowKey({ budget, subject }: WindowRequest, windowSeconds: number): string {
  return `window:${budget}:${windowSeconds}:${subject}`;
}

/** The same bucket in this process, for the time Redis is away. The oldest subjects make room. */
function createLocalBuckets(clock: Clock, maxSubjects = 50_000) {
  const dueBySubject = new Map<string, number>();
  return {
    /** Milliseconds to wait, 0 when it was taken. */
    take(key: string, limit: number, windowMs: number): number {
      const now = clock.now();
      const due = Math.max(dueBySubject.get(key) ?? now, now) + windowMs / limit;
      if (due - now > windowMs) return Math.ceil(due - now - windowMs);
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
