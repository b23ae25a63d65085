import { randomBytes } from 'node:crypto';
import { budgets, type Budget, type BudgetName, type ErrorCode } from '@unsaid/contract';
import { createBatcher } from './batch.ts';
import { dayMs, luaClockArg, type Clock } from './clock.ts';
import type { RedisCrypto } from './crypto/redis-crypto.ts';
import { AppError } from './errors.ts';
import { consumeScript, giveBackScript, tickMs, type LimitArgs } from './limiter-script.ts';
import type { Metrics } from './metrics.ts';
import { RedisUnavailable, type RedisScript, type RedisStore } from './redis.ts';

/** Cheap, but up to twice the limit may pass around a period's end. */
export interface BucketRequest {
  readonly budget: BudgetName;
  /** The caller that is counted. Redis sees a keyed hash of it, different for every bucket and period. */
  readonly subject: Buffer | string;
  readonly isNewcomer?: boolean;
  /** Tokens to consume; 1 by default, and 0 skips the bucket. */
  readonly cost?: number;
}

/** Never more than the limit in any window. */
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
  /** Times are rounded up to steps of this length: at most one too strict. */
  readonly stepSeconds?: number | undefined;
}

/** The first `free` uses may follow at once, later ones `cooldownMs` apart. Reset after `resetAfterMs` without a use. */
export interface Cooldown {
  readonly subject: string;
  readonly free: number;
  readonly cooldownMs: number;
  readonly resetAfterMs: number;
}

export interface Rejection {
  /** For metrics and for decisions of the caller; never shown to the client. */
  readonly budget: string;
  readonly retryAfterMs: number;
}

interface ConsumeResult<W extends Window> {
  readonly rejection: Rejection | null;
  /** False when nothing was consumed: rejected, a full window to report, or a dry run. */
  readonly isRecorded: boolean;
  /** The full windows whose `whenFull` is `report`. */
  readonly full: readonly W[];
  /** The cooldown's consecutive uses, this one included. */
  readonly consecutive: number;
}

export type Limiter = ReturnType<typeof createLimiter>;

/** A key in Redis with what the script is told of it. */
interface Place {
  readonly budget: string;
  readonly key: string;
  readonly args: LimitArgs;
}

/** What the script says of a place: how long to wait, 0 if it is not full, and how often it is used. */
interface Reading {
  readonly waitMs: number;
  readonly uses: number;
}

interface Outcome {
  readonly isTaken: boolean;
  /** In the order of the places; null where Redis is away. */
  readonly readings: readonly (Reading | null)[];
}

/** A caller's places of one slot; replies as the script lists them, null where Redis is away. */
type Run = (share: readonly Place[]) => Promise<readonly number[] | null>;

/** Callers of one event-loop turn share the script call of a slot. */
function batch(redis: RedisStore, clock: Clock, script: RedisScript): Run {
  return createBatcher(async (shares: readonly (readonly Place[])[]) => {
    const replies = new Map<readonly Place[], readonly number[]>();
    await Promise.all(
      redis
        .groupBySlot(shares, ([first]) => first?.key ?? '')
        .map(async (group) => {
          const args = JSON.stringify(group.map((share) => share.map((place) => place.args)));
          try {
            const keys = group.flatMap((share) => share.map(({ key }) => key));
            const numbers = (await script(keys, [luaClockArg(clock), args])) as number[];
            for (const share of group) replies.set(share, numbers.splice(0, 1 + 2 * share.length));
          } catch (error) {
            if (!(error instanceof RedisUnavailable)) throw error;
          }
        }),
    );
    return shares.map((share) => replies.get(share) ?? null);
  });
}

/**
 * Consumes from all places of a caller or from none. In a cluster each slot reserves on its own; if one rejects, the others
 * give back. A reservation that is lost on the way back stays: limits may be too strict for a moment, never too loose.
 */
function createConsumer(redis: RedisStore, clock: Clock) {
  const runGiveBack = redis.script(giveBackScript);

  /** Not retried: a second time would give back too much. Nor is it awaited. */
  function giveBack(places: readonly Place[], at: number): void {
    const [keys, args] = [places.map(({ key }) => key), places.map((place) => place.args)];
    void runGiveBack(keys, [luaClockArg(clock), at, JSON.stringify(args)]).catch(() => {});
  }

  return async (places: readonly Place[], run: Run): Promise<Outcome> => {
    const shares = redis.groupBySlot(places, ({ key }) => key);
    const replies = await Promise.all(shares.map(run));
    const takenAt = (n: number) => replies[n]?.[0] ?? 0;
    const isTaken = shares.every((_, n) => takenAt(n) > 0);
    // Without Redis a bucket counts on in the process.
    const isRefused = replies.some((reply, n) => takenAt(n) === 0 && (reply || !shares[n]?.[0]?.args.cost));
    const readings = new Map<Place, Reading>();
    for (const [n, share] of shares.entries()) {
      const [, ...numbers] = replies[n] ?? [];
      for (const [i, place] of share.entries())
        if (replies[n]) readings.set(place, { waitMs: numbers[i * 2] ?? 0, uses: numbers[i * 2 + 1] ?? 0 });
      const taken = share.filter(({ args }) => !args.peek);
      if (isRefused && takenAt(n) > 0 && taken.length > 0) giveBack(taken, takenAt(n));
    }
    return { isTaken, readings: places.map((place) => readings.get(place) ?? null) };
  };
}

/** Buckets in this process, while Redis is unavailable. The least recently used subject is evicted first. */
function createLocalBuckets(clock: Clock, maxSubjects = 50_000) {
  const dueByKey = new Map<string, number>();
  return {
    /** Milliseconds to wait; 0 when the tokens were consumed. */
    consume({ key, args: { ms, cost = 0 } }: Place): number {
      const now = clock.now();
      const tick = Math.ceil(now / tickMs) * tickMs;
      const stored = dueByKey.get(key) ?? tick;
      // A value more than a window ahead means the clock was set back; start over. Each use costs double.
      const due = (stored > tick + ms ? tick : Math.max(stored, tick)) + cost * 2;
      if (due - tick > ms) return Math.ceil((due - ms) / tickMs) * tickMs - tickMs - now + 1;
      dueByKey.delete(key);
      dueByKey.set(key, due);
      if (dueByKey.size > maxSubjects) {
        const [oldest] = dueByKey.keys();
        if (oldest !== undefined) dueByKey.delete(oldest);
      }
      return 0;
    },
  };
}

interface LimiterOptions {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly redisCrypto: RedisCrypto;
  readonly scale: number;
}

/** The key of a window and the mask of its times. */
export function windowPlace(
  redisCrypto: RedisCrypto,
  { budget, windowSeconds, subject }: Pick<Window, 'budget' | 'windowSeconds' | 'subject'>,
): { readonly key: string; readonly mask: number } {
  const { name, mask } = redisCrypto.counter(`window:${budget}:${windowSeconds}`, subject);
  return { key: `window:${budget}:${windowSeconds}:${name}`, mask };
}

const newMember = () => randomBytes(9).toString('base64url');

export function createLimiter({ redis, clock, metrics, redisCrypto, scale }: LimiterOptions) {
  const consume = createConsumer(redis, clock);
  const run = batch(redis, clock, redis.script(consumeScript));
  const runKept = batch(redis, clock, redis.script(consumeScript, { isKept: true }));
  const local = createLocalBuckets(clock);

  function reject(budget: string, retryAfterMs: number): Rejection {
    metrics.rateLimited.inc({ budget });
    return { budget, retryAfterMs };
  }

  /**
   * A person's bucket has a different name for every budget, window and period, so that no two can be joined. It is empty again when a period begins: at midnight UTC, or at the end of a longer window.
   */
  function bucketsOf({ budget, subject, isNewcomer, cost = 1 }: BucketRequest): Place[] {
    if (cost === 0) return [];
    return (budgets[budget] as readonly Budget[]).map(({ limit, newcomerLimit = limit, windowSeconds }) => {
      const ms = windowSeconds * 1000;
      const kind = `${budget}:${windowSeconds}`;
      const period = Math.floor(clock.now() / Math.max(ms, dayMs));
      const { name, mask } = redisCrypto.counter(`${kind}:${period}`, subject);
      const tokenMs = ms / ((isNewcomer ? newcomerLimit : limit) * scale);
      return { budget, key: `bucket:${kind}:${name}`, args: { mask, ms, cost: tokenMs * cost } };
    });
  }

  function placeOf(window: Window): Place {
    const { key, mask } = windowPlace(redisCrypto, window);
    const { budget, limit, windowSeconds, stepSeconds, peek = false, whenFull } = window;
    return {
      budget,
      key,
      args: {
        mask,
        ms: windowSeconds * 1000,
        limit: limit * scale,
        stepMs: stepSeconds === undefined ? 1 : stepSeconds * 1000,
        member: newMember(),
        peek,
        isOptional: whenFull === 'pass',
      },
    };
  }

  function cooldownPlace({ subject, free, cooldownMs: gapMs, resetAfterMs: ms }: Cooldown): Place {
    const { key, mask } = windowPlace(redisCrypto, { budget: 'cooldown', windowSeconds: ms / 1000, subject });
    return { budget: 'cooldown', key, args: { mask, ms, free, gapMs, stepMs: 1, member: newMember() } };
  }

  async function consumeExactly(places: readonly Place[], dryRun: boolean) {
    const asked = places.map((place) => ({
      ...place,
      args: { ...place.args, peek: place.args.peek || dryRun },
    }));
    const { isTaken, readings } = await consume(asked, dryRun ? run : runKept);
    return {
      isTaken: isTaken && !dryRun,
      readings: readings.map((reading) => {
        if (!reading) throw new RedisUnavailable();
        return reading;
      }),
    };
  }

  return {
    /** Consumes the cost from each bucket or from none. Without Redis it counts in this process, at half the limits. */
    async consumeBuckets(requests: readonly BucketRequest[]): Promise<Rejection | null> {
      const places = requests.flatMap(bucketsOf);
      if (places.length === 0) return null;
      const { readings } = await consume(places, run);
      const full = readings.findIndex((reading) => reading && reading.waitMs > 0);
      if (full >= 0) return reject(places[full]?.budget ?? '', readings[full]?.waitMs ?? 0);
      for (const place of places.filter((_, n) => !readings[n])) {
        const waitMs = local.consume(place);
        if (waitMs > 0) return reject(place.budget, waitMs);
      }
      return null;
    },

    /** Consumes one from each window or from none. Without Redis it throws: codes fail closed. `dryRun` only checks. */
    async consumeWindows<W extends Window>(
      windows: readonly W[],
      { cooldown, dryRun = false }: { readonly cooldown?: Cooldown; readonly dryRun?: boolean } = {},
    ): Promise<ConsumeResult<W>> {
      const places = [...windows.map(placeOf), ...(cooldown ? [cooldownPlace(cooldown)] : [])];

      async function attempt(isDry: boolean) {
        const { isTaken, readings } = await consumeExactly(places, isDry);
        const waitOf = (n: number) => readings[n]?.waitMs ?? 0;
        const firstFull = (...kinds: readonly Window['whenFull'][]) =>
          windows.findIndex(({ whenFull }, n) => waitOf(n) > 0 && kinds.includes(whenFull));
        const reported = windows.filter(({ whenFull }, n) => whenFull === 'report' && waitOf(n) > 0);
        let rejectedBy = waitOf(windows.length) > 0 ? windows.length : firstFull('reject', undefined);
        if (rejectedBy < 0 && reported.length === 0 && !dryRun) rejectedBy = firstFull('rejectLast');
        return {
          rejection:
            rejectedBy < 0
              ? null
              : { budget: places[rejectedBy]?.budget ?? '', retryAfterMs: waitOf(rejectedBy) },
          isRecorded: isTaken,
          full: rejectedBy < 0 ? reported : [],
          consecutive: cooldown ? (readings.at(-1)?.uses ?? 0) + 1 : 0,
        };
      }

      // Several slots are asked first: a flood of calls that are rejected anyway would hold what is left of the windows of
      // everybody.
      const isSplit = redis.groupBySlot(places, ({ key }) => key).length > 1;
      let result = await attempt(dryRun || isSplit);
      if (isSplit && !dryRun && !result.rejection && result.full.length === 0) result = await attempt(false);
      if (result.rejection) metrics.rateLimited.inc({ budget: result.rejection.budget });
      return result;
    },

    /** How much of a window is used, 0 to 1. */
    async usageRatio(window: Window): Promise<number> {
      const place = placeOf(window);
      const { readings } = await consumeExactly([place], true);
      return (readings[0]?.uses ?? 0) / (window.limit * scale);
    },
  };
}

/** The error for the client: when to retry, not which budget is exhausted. */
export function rejectionError(code: ErrorCode, { retryAfterMs }: Rejection): AppError {
  return new AppError(code, { retryAfterSeconds: retryAfterSeconds(retryAfterMs) });
}

/** Rounded up in steps: the exact wait would reveal which budget is exhausted and when it was first used. */
export function retryAfterSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000);
  const step = seconds <= 60 ? 5 : seconds <= 600 ? 60 : seconds <= 3600 ? 600 : 3600;
  return Math.max(step, Math.ceil(seconds / step) * step);
}
