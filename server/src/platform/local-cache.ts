import type { Clock } from './clock.ts';
import type { Metrics } from './metrics.ts';
import type { RedisStore } from './redis.ts';

/**
 * In-process cache with a TTL, of one second unless said otherwise. Concurrent misses of a key share one load. `invalidateAll` also discards
 * loads in flight, so a value read before an invalidation is never served after it.
 */
export interface LocalCache<V> {
  getOrLoad(key: string, load: () => Promise<V>): Promise<V>;
  /** Call it after the change is committed everywhere else, or the old value would be cached again. */
  invalidateAll(): Promise<void>;
}

const defaultTtlMs = 1000;
/** Enough for a busy second. Beyond it the oldest entry is evicted. */
const maxEntries = 10_000;

interface LocalCacheDeps {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

interface LocalCacheOptions {
  /** Label of its metrics. */
  readonly name: string;
  /**
   * Pub/sub channel that invalidates the other processes. Without Redis they are at most one TTL behind; without a
   * channel always.
   */
  readonly channel?: string;
  readonly ttlMs?: number;
}

export async function createLocalCache<V>(
  { redis, clock, metrics }: LocalCacheDeps,
  { name, channel, ttlMs = defaultTtlMs }: LocalCacheOptions,
): Promise<LocalCache<V>> {
  const hits = metrics.cacheRequests.labels({ cache: name, result: 'hit' });
  const misses = metrics.cacheRequests.labels({ cache: name, result: 'miss' });
  let entries = new Map<string, { readonly loadedAt: number; readonly value: Promise<V> }>();
  const clear = () => {
    entries = new Map();
  };
  if (channel !== undefined) await redis.onMessage(channel, clear);
  return {
    getOrLoad(key, load) {
      const entry = entries.get(key);
      const age = clock.now() - (entry?.loadedAt ?? 0);
      // A negative age means that the clock was set back. The entry counts as expired.
      if (entry && age >= 0 && age < ttlMs) {
        hits.inc();
        return entry.value;
      }
      misses.inc();
      const current = entries;
      const evict = () => void current.delete(key);
      const value = load();
      // Deleted first, so that insertion order is age and the first entry is the oldest.
      evict();
      current.set(key, { loadedAt: clock.now(), value });
      if (current.size > maxEntries) current.delete(current.keys().next().value ?? '');
      // Misses (null) are not cached: random tokens would evict real entries.
      value.then((loaded) => loaded === null && evict(), evict);
      return value;
    },
    async invalidateAll() {
      clear();
      if (channel !== undefined) await redis.publish(channel);
    },
  };
}
