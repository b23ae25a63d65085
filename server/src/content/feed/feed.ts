import {
  isBlank,
  emotions as allEmotions,
  limits,
  type Emotion,
  type ParsedRequestOf,
  type Sort,
  type VentView,
  type listVents,
  type searchVents,
} from '@unsaid/contract';
import type { ContentDb } from '../../platform/db.ts';
import type { Base } from '../../kernel/base.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { createLocalCache } from '../../platform/local-cache.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import * as hot from './feed.hot.queries.ts';
import * as queries from './feed.queries.ts';
import { parseSearchTerms } from '../search/search-terms.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { listLightVents, loadVents, presentVents } from '../vents/vent-loader.ts';
import { searchNewest, type FoundVent } from '../search/vent-search.hot.queries.ts';
import { listTrendingIds } from './trending.ts';
import { statesShownToAuthor, type VentState } from '../vents/vents.state.ts';
import { memoizeVentJson } from '../vents/vents.view.ts';
import { findOwnVent, listOwnIds, searchOwn } from '../vents/authored-vents.ts';
import type { ContentContext, FeedPage, PageInfo } from '../context.ts';

type ListVentsQuery = ParsedRequestOf<typeof listVents>['query'];
type SearchVentsQuery = ParsedRequestOf<typeof searchVents>['query'];

interface VentPage extends PageInfo {
  readonly vents: VentView[];
  /** Of a search: those that match by sound alone. Absent where there are none. */
  readonly bySound?: string[];
}

/**
 * Searches share the connections of content, and are the most expensive read: many at once must not keep the feed waiting.
 * Some more may wait, about as long as a person does.
 */
export const createSearchLimit = () => createSemaphore(3, 50);

/** Pages of the feed in the memory of this process. Built first: identity invalidates it when a name changes. */
export const createFeedCache = (base: Base) =>
  createLocalCache<FeedPage>(base, { name: 'feed', channel: 'pages-changed' });

async function loadNewest(
  ctx: ContentContext,
  from: ContentDb,
  page: number,
  limit: number,
): Promise<FeedPage> {
  const maxCount = limit * limits.pagerPages + 1;
  const { ids, count } = await ctx.batched.listNewest(from, { limit, offset: (page - 1) * limit, maxCount });
  return { ...(await loadVents(ctx, from, ids)), ...pageInfo(count, limit) };
}

/** The newest that lists do not fold. So many folded ones in a row that it finds too few: then it shows fewer. */
async function loadLight(ctx: ContentContext, from: ContentDb, limit: number): Promise<FeedPage> {
  const most = limit * limits.pagerPages;
  const { ids, count } = await ctx.batched.listNewest(from, { limit: most, offset: 0, maxCount: most + 1 });
  const light: bigint[] = [];
  for (let at = 0; at < ids.length && light.length < limit; at += limit)
    light.push(...(await listLightVents(ctx, from, ids.slice(at, at + limit))));
  return { ...(await loadVents(ctx, from, light.slice(0, limit))), ...pageInfo(count, limit) };
}

async function loadTrending(
  ctx: ContentContext,
  from: ContentDb,
  { page, limit, emotions }: PagedQuery,
): Promise<FeedPage> {
  const { ids, count } = await listTrendingIds(ctx, from, emotions, { limit, offset: (page - 1) * limit });
  return {
    ...(await loadVents(ctx, from, ids)),
    pageCount: pageInfo(count, limit).pageCount,
    hasOlder: false,
  };
}

async function loadOlder(
  ctx: ContentContext,
  from: ContentDb,
  before: string,
  limit: number,
): Promise<FeedPage> {
  const beforeId = openVentId(ctx.publicIds, before);
  const { found: ids, ...info } = await paginate(
    (slice) => queries.listOlderIds(from, beforeId, slice.limit),
    { page: 1, limit, before },
  );
  return { ...(await loadVents(ctx, from, ids)), ...info };
}

async function loadByEmotion(
  ctx: ContentContext,
  from: ContentDb,
  emotions: readonly Emotion[],
  { page, limit, before }: PagedQuery,
): Promise<FeedPage> {
  const cursor =
    before === undefined
      ? hot.startOfFeed
      : await queries.findCursor(from, openVentId(ctx.publicIds, before));
  const { found: ids, ...info } = await paginate(
    async (slice) => (cursor ? hot.listIdsByEmotion(from, emotions, cursor, slice) : []),
    { page, limit, before },
  );
  return { ...(await loadVents(ctx, from, ids)), ...info };
}

async function loadMine(
  ctx: ContentContext,
  viewer: Viewer,
  { query, page, limit, before, emotions }: PagedQuery,
): Promise<FeedPage> {
  // The cursor is the number of a vent of their own. Nothing comes before any other vent.
  const beforeNumber =
    before === undefined
      ? null
      : ((await findOwnVent(ctx, viewer.person, openVentId(ctx.publicIds, before)))?.number ?? 0);
  const filter = { before: beforeNumber, emotions };
  if (query !== undefined && !isBlank(query)) {
    const terms = parseSearchTerms(query);
    return loadFound(
      ctx,
      ctx.db,
      await paginate(
        async (slice) =>
          terms.length === 0 ? [] : searchOwn(ctx, viewer.person, { ...filter, terms }, slice),
        { page, limit, before },
      ),
      statesShownToAuthor,
    );
  }
  const { found, ...info } = await paginate((slice) => listOwnIds(ctx, viewer.person, filter, slice), {
    page,
    limit,
    before,
  });
  return { ...(await loadVents(ctx, ctx.db, found, statesShownToAuthor)), ...info };
}

async function loadFound(
  ctx: ContentContext,
  from: ContentDb,
  { found, ...info }: PageInfo & { readonly found: readonly FoundVent[] },
  states?: readonly VentState[],
): Promise<FeedPage> {
  const loaded = await loadVents(
    ctx,
    from,
    found.map(({ id }) => id),
    states,
  );
  const bySound = new Set(found.filter(({ isBySound }) => isBySound).map(({ id }) => id));
  return { ...loaded, ...info, bySound };
}

async function presentPage(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  { bySound, ...page }: FeedPage,
): Promise<VentPage> {
  const vents = await presentVents(ctx, from, viewer, page);
  const info = { vents, pageCount: page.pageCount, hasOlder: page.hasOlder };
  if (!bySound || bySound.size === 0) return info;
  return {
    ...info,
    bySound: vents.map(({ _id }) => _id).filter((id) => bySound.has(openVentId(ctx.publicIds, id))),
  };
}

function loadFeed(ctx: ContentContext, from: ContentDb, query: PagedQuery): Promise<FeedPage> {
  if (query.sort === 'trending') return loadTrending(ctx, from, query);
  if (query.without) return loadLight(ctx, from, query.limit);
  return query.emotions
    ? loadByEmotion(ctx, from, query.emotions, query)
    : loadNewest(ctx, from, query.page, query.limit);
}

async function loadAndMemoize(ctx: ContentContext, from: ContentDb, query: PagedQuery): Promise<FeedPage> {
  const page = await loadFeed(ctx, from, query);
  page.vents.forEach(memoizeVentJson);
  return page;
}

function loadPage(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  query: PagedQuery,
): Promise<FeedPage> {
  if (query.mine === 'true') return loadMine(ctx, viewer, query);
  if (query.before !== undefined)
    return query.emotions
      ? loadByEmotion(ctx, from, query.emotions, query)
      : loadOlder(ctx, from, query.before, query.limit);
  if (isShared(query)) {
    // Pages of a standby apart: one read there after a write has invalidated the cache may lack that write.
    const place = from === ctx.db ? 'primary' : 'standby';
    const key = `${place} ${query.sort} ${query.page} ${query.emotions?.join() ?? ''} ${query.without ?? ''}`;
    return ctx.feedCache.getOrLoad(key, () => loadAndMemoize(ctx, from, query));
  }
  return loadFeed(ctx, from, query);
}

export async function listFeed(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  { sort = 'recent', page = 1, limit = limits.feedPageSize, emotion, ...query }: ListVentsQuery,
): Promise<VentPage> {
  // Own vents are always read from the primary: a job may have posted one, and nobody has a pin for that.
  const on = query.mine === 'true' ? ctx.db : from;
  return presentPage(
    ctx,
    on,
    viewer,
    await loadPage(ctx, on, viewer, { ...query, sort, page, limit, emotions: filterBy(emotion) }),
  );
}

/** The minute of the newest vent; null if there is none. */
export async function findNewestMinute(ctx: ContentContext): Promise<string | null> {
  return (await queries.findNewestTime(ctx.db))?.toISOString() ?? null;
}

export async function searchFeed(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  { query, page, limit = limits.maxPageSize, before, emotion }: SearchVentsQuery,
): Promise<VentPage> {
  const search = {
    terms: parseSearchTerms(query),
    beforeId: before === undefined ? null : openVentId(ctx.publicIds, before),
    emotions: filterBy(emotion),
  };
  const found = await paginate(
    async (slice) =>
      search.terms.length === 0
        ? []
        : (await ctx.searching(() => searchNewest(from, search, slice.offset + slice.limit))).slice(
            slice.offset,
          ),
    { page, limit, before },
  );
  return presentPage(ctx, from, viewer, await loadFound(ctx, from, found));
}

/** A query of the list with its defaults filled in. */
interface PagedQuery extends Omit<ListVentsQuery, 'emotion'> {
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
  /** Null without a filter. */
  readonly emotions: readonly Emotion[] | null;
}

/** All emotions are no filter. */
function filterBy(emotions: readonly Emotion[] | undefined): readonly Emotion[] | null {
  return emotions && emotions.length < allEmotions.length ? emotions : null;
}

/**
 * A page of the pager in its usual size: these are cached for all readers. With a filter, only the first page of one
 * emotion: there are 62 combinations, and their pages would multiply the memory.
 */
function isShared({ page, limit, emotions }: PagedQuery): boolean {
  const lastPage = emotions === null ? limits.pagerPages : emotions.length === 1 ? 1 : 0;
  return page <= lastPage && limit === limits.feedPageSize;
}

function pageInfo(count: number, limit: number): PageInfo {
  return {
    pageCount: Math.min(limits.pagerPages, Math.ceil(count / limit)),
    hasOlder: count > limit * limits.pagerPages,
  };
}

/**
 * With a page number it finds all ids that the pager can reach (10 pages), which gives the page count. With a cursor,
 * or without a page number, there is no pager: it finds one id more than the page holds, which tells whether there are
 * more.
 */
async function paginate<T>(
  find: (slice: hot.LimitOffset) => Promise<T[]>,
  { page, limit, before }: { page: number | undefined; limit: number; before: string | undefined },
): Promise<PageInfo & { readonly found: T[] }> {
  if (before !== undefined || page === undefined) {
    const found = await find({ limit: limit + 1, offset: 0 });
    return {
      found: found.slice(0, limit),
      pageCount: before === undefined ? Math.ceil(found.length / limit) : limits.pagerPages,
      hasOlder: found.length > limit,
    };
  }
  const reachable = await find({ limit: limit * limits.pagerPages + 1, offset: 0 });
  const offset = (page - 1) * limit;
  const found =
    page <= limits.pagerPages ? reachable.slice(offset, offset + limit) : await find({ limit, offset });
  return { found, ...pageInfo(reachable.length, limit) };
}
