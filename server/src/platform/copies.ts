import type { Clock } from './clock.ts';
import type { Metrics } from './metrics.ts';
import type { RedisStore } from './redis.ts';

/**
 * Copies in this process of what is dear to fetch, kept for a second. One being fetched is waited for, not
 * fetched twice. Dropping throws all of them away, also those being fetched: what was read before the drop
 * is never found after it.
 */
export interface Copies<V> {
  get(key: string, fetch: () => Promise<V>): Promise<V>;
  /** After the change is written everywhere else, or it would be copied again as it was. */
  drop(): Promise<void>;
}

const keptMs = 1000;
/** Enough for a busy second; beyond it the oldest make room. */
const maxCopies = 10_000;

interface CopiesDeps {
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

interface CopiesOptions {
  /** What they are copies of, for whoever watches how often they help. */
  readonly of: string;
  /** Tells the other processes. Without Redis they are at most a second behind. */
  readonly channel: string;
}

export async function createCopies<V>(
  { redis, clock, metrics }: CopiesDeps,
  { of, channel }: CopiesOptions,
): Promise<Copies<V>> {
  const hits = metrics.copies.labels({ of, outcome: 'hit' });
  const misses = metrics.copies.labels({ of, outcome: 'miss' });
  let copies = new Map<string, { readonly madeAt: number; readonly value: Promise<V> }>();
  const clear = () => {
    copies = new Map();
  };
  await redis.onMessage(channel, clear);
  return {
    get(key, fetch) {
      const kept = copies.get(key);
      const age = clock.now() - (kept?.madeAt ?? 0);
      // Younger than nothing: the clock was set back, and its second would last as long as it was set back by.
      if (kept && age >= 0 && age < keptMs) {
        hits.inc();
        return kept.value;
      }
      misses.inc();
      const current = copies;
      const forget = () => void current.delete(key);
      const value = fetch();
      // Set anew, so that the first in the map is the oldest.
      forget();
      current.set(key, { madeAt: clock.now(), value });
      if (current.size > maxCopies) current.delete(current.keys().next().value ?? '');
      // Nothing is not worth a place: whoever guesses at keys would fill them all.
      value.then((found) => found === null && forget(), forget);
      return value;
    },
    async drop() {
      clear();
      await redis.publish(channel);
    },
  };
}
