import type { Clock } from './clock.ts';
import { createBucketConsumer, createBucketResolver, type BucketRequest } from './limits/buckets.ts';
import { createLocalBuckets } from './limits/fallback.ts';
import type { Rejection } from './limits/rejection.ts';
import {
  createWindowConsumer,
  createWindowUsage,
  type Window,
  type WindowOptions,
} from './limits/windows.ts';
import type { Metrics } from './metrics.ts';
import type { RedisCrypto } from './crypto/redis-crypto.ts';
import type { RedisStore } from './redis.ts';

export interface ConsumeResult<W extends Window> {
  readonly rejection: Rejection | null;
  /** False when nothing was consumed: rejected, a full window to report, or a dry run. */
  readonly isRecorded: boolean;
  /** The full windows whose `whenFull` is `report`. */
  readonly full: readonly W[];
  /** The cooldown's consecutive uses, this one included. */
  readonly consecutive: number;
}

export interface Limiter {
  /** Consumes the cost from each bucket or from none. Without Redis it counts in this process, at half the limits. */
  consumeBuckets(requests: readonly BucketRequest[]): Promise<Rejection | null>;
  /** Consumes one from each window or from none. Without Redis it throws: codes fail closed. */
  consumeWindows<W extends Window>(windows: readonly W[], options?: WindowOptions): Promise<ConsumeResult<W>>;
  /** How much of a window is used, 0 to 1. */
  usageRatio(window: Window): Promise<number>;
}

interface LimiterOptions {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly redisCrypto: RedisCrypto;
  readonly scale: number;
}

export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, clock, metrics, redisCrypto, scale } = options;
  const resolveBuckets = createBucketResolver({ clock, redisCrypto, scale });
  const consumeBuckets = createBucketConsumer(redis, clock);
  const local = createLocalBuckets(clock);
  const consumeWindows = createWindowConsumer(options);

  function reject(budget: string, retryAfterMs: number): Rejection {
    metrics.rateLimited.inc({ budget });
    return { budget, retryAfterMs };
  }

  return {
    async consumeBuckets(requests) {
      const buckets = resolveBuckets(requests);
      const { position, retryAfterMs, away } = await consumeBuckets(buckets);
      const exhausted = buckets[position - 1];
      if (exhausted) return reject(exhausted.budget, retryAfterMs);
      for (const bucket of away) {
        const waitMs = local.consume({ ...bucket, limit: Math.max(1, bucket.limit / 2) });
        if (waitMs > 0) return reject(bucket.budget, waitMs);
      }
      return null;
    },

    async consumeWindows(windows, options = {}) {
      const { rejectedBy, retryAfterMs, consecutive, isRecorded, full } = await consumeWindows(
        windows,
        options,
      );
      return {
        rejection:
          rejectedBy > 0 ? reject(windows[rejectedBy - 1]?.budget ?? 'cooldown', retryAfterMs) : null,
        isRecorded,
        full: windows.filter((_, index) => full.includes(index + 1)),
        consecutive,
      };
    },

    usageRatio: createWindowUsage(options),
  };
}
