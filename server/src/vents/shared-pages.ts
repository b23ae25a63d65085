import type { Clock } from '../platform/clock.ts';
import type { RedisStore } from '../platform/redis.ts';
import { createPageCache } from './page-cache.ts';

/** The page cache of this process, and the word to the others when a write makes it untrue. */
export interface SharedPages<P> {
  get(key: string, make: () => Promise<P>): Promise<P>;
  drop(): Promise<void>;
}

const channel = 'pages-changed';

export async function createSharedPages<P>(redis: RedisStore, clock: Clock): Promise<SharedPages<P>> {
  const cache = createPageCache<P>(clock);
  // Without Redis the other processes are at most a second behind.
  await redis.onMessage(channel, () => cache.clear());
  return {
    get: (key, make) => cache.get(key, make),
    async drop() {
      cache.clear();
      await redis.publish(channel);
    },
  };
}
