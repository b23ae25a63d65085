import type { Clock } from '../clock.ts';
import { tickMs, type Bucket } from './buckets.ts';

/**
 * The same token buckets in this process, while Redis is unavailable. The least recently used subject is evicted first.
 */
export function createLocalBuckets(clock: Clock, maxSubjects = 50_000) {
  const dueByKey = new Map<string, number>();
  return {
    /** Milliseconds to wait; 0 when the tokens were consumed. */
    consume({ key, limit, windowMs, cost }: Bucket): number {
      const now = clock.now();
      const tick = Math.ceil(now / tickMs) * tickMs;
      const stored = dueByKey.get(key) ?? tick;
      // A value more than a window ahead means the clock was set back; start over.
      const due = (stored > tick + windowMs ? tick : Math.max(stored, tick)) + (windowMs / limit) * cost;
      if (due - tick > windowMs) return Math.ceil((due - windowMs) / tickMs) * tickMs - tickMs - now + 1;
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
