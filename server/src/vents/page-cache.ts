import type { Clock } from '../platform/clock.ts';

/**
 * Pages that every reader sees alike, kept for a second. A page being made is waited for, not made
 * twice; a write throws all of them away, also those being made, so that a reader sees their own write.
 */
export interface PageCache<P> {
  get(key: string, make: () => Promise<P>): Promise<P>;
  clear(): void;
}

const keptMs = 1000;

export function createPageCache<P>(clock: Clock): PageCache<P> {
  let pages = new Map<string, { readonly madeAt: number; readonly page: Promise<P> }>();
  return {
    get(key, make) {
      const kept = pages.get(key);
      if (kept && clock.now() - kept.madeAt < keptMs) return kept.page;
      const current = pages;
      const page = make();
      current.set(key, { madeAt: clock.now(), page });
      page.catch(() => current.delete(key));
      return page;
    },
    clear() {
      pages = new Map();
    },
  };
}
