import { limits, type Emotion } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { LimitOffset } from './feed.hot.queries.ts';
import * as queries from './feed.queries.ts';

/** The list of trending vents. The worker writes it; readers only read. */
export interface Trending {
  /** Ids of a slice, best first, and how many there are at most. */
  listIds(
    db: ContentDb,
    emotions: readonly Emotion[] | null,
    slice: LimitOffset,
  ): Promise<{ readonly ids: bigint[]; readonly count: number }>;
  rewrite(): Promise<void>;
}

interface TrendingDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

const size = limits.feedPageSize * limits.pagerPages;
/** From the end of one rewrite to the next. */
export const rewriteSeconds = 10;
/** No worker has written for so long: readers rank for themselves, each process as often as a worker would. */
const abandonedMs = 60_000;

export function createTrending({ db: primary, clock, feedCache }: TrendingDeps): Trending {
  let ranked: { readonly at: number; readonly list: Promise<queries.TrendingVent[]> } | null = null;

  const isWithin = (at: number, ms: number) => Math.abs(clock.now() - at) <= ms;

  function rank(db: ContentDb): Promise<queries.TrendingVent[]> {
    if (ranked && isWithin(ranked.at, rewriteSeconds * 1000)) return ranked.list;
    const now = clock.now();
    const list = queries.rankTrending(db, new Date(now), size);
    const own = { at: now, list };
    ranked = own;
    list.catch(() => {
      if (ranked === own) ranked = null;
    });
    return list;
  }

  async function findList(db: ContentDb): Promise<readonly queries.TrendingVent[]> {
    const list = await queries.listTrending(db);
    const [first] = list;
    return first && isWithin(first.computedAt.getTime(), abandonedMs) ? list : rank(db);
  }

  return {
    async listIds(db, emotions, { limit, offset }) {
      const list = (await findList(db))
        .filter(({ position, emotion }) =>
          emotions ? emotions.some((one) => one === emotion) : position <= size,
        )
        .slice(0, size);
      return {
        ids: list.slice(offset, offset + limit).map(({ ventId }) => ventId),
        count: list.length,
      };
    },
    async rewrite() {
      const now = new Date(clock.now());
      await transaction(primary, (tx) => queries.rewriteTrending(tx, now, size));
      ranked = null;
      await feedCache.invalidateAll();
    },
  };
}
