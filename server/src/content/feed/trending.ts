import { limits, type Emotion } from '@unsaid/contract';
import { inTransaction, type ContentDb } from '../../platform/db.ts';
import type { LimitOffset } from './feed.hot.queries.ts';
import * as queries from './feed.queries.ts';
import type { ContentContext } from '../context.ts';

/** The list of trending vents. The worker writes it; readers only read. */

const size = limits.feedPageSize * limits.pagerPages;
/** From the end of one rewrite to the next. */
export const rewriteSeconds = 10;
/** No worker has written for so long: readers rank for themselves, each process as often as a worker would. */
const abandonedMs = 60_000;

const isWithin = (ctx: ContentContext, at: number, ms: number) => Math.abs(ctx.clock.now() - at) <= ms;

function rank(ctx: ContentContext, db: ContentDb): Promise<queries.TrendingVent[]> {
  if (ctx.trending.ranked && isWithin(ctx, ctx.trending.ranked.at, rewriteSeconds * 1000))
    return ctx.trending.ranked.list;
  const now = ctx.clock.now();
  const list = queries.rankTrending(db, new Date(now), size);
  const own = { at: now, list };
  ctx.trending.ranked = own;
  list.catch(() => {
    if (ctx.trending.ranked === own) ctx.trending.ranked = null;
  });
  return list;
}

async function findList(ctx: ContentContext, db: ContentDb): Promise<readonly queries.TrendingVent[]> {
  const list = await queries.listTrending(db);
  const [first] = list;
  return first && isWithin(ctx, first.computedAt.getTime(), abandonedMs) ? list : rank(ctx, db);
}

/** Ids of a slice, best first, and how many there are at most. */
export async function listTrendingIds(
  ctx: ContentContext,
  db: ContentDb,
  emotions: readonly Emotion[] | null,
  { limit, offset }: LimitOffset,
): Promise<{ readonly ids: bigint[]; readonly count: number }> {
  const list = (await findList(ctx, db))
    .filter(({ position, emotion }) =>
      emotions ? emotions.some((one) => one === emotion) : position <= size,
    )
    .slice(0, size);
  return {
    ids: list.slice(offset, offset + limit).map(({ ventId }) => ventId),
    count: list.length,
  };
}

export async function rewriteTrendingList(ctx: ContentContext): Promise<void> {
  const now = new Date(ctx.clock.now());
  await inTransaction(ctx, ({ db }) => queries.rewriteTrending(db, now, size));
  ctx.trending.ranked = null;
  await ctx.feedCache.invalidateAll();
}
