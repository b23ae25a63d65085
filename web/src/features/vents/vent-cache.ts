import type { CommentView, ReactionType, VentView } from '@unsaid/contract';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';

/** Prefix of all queries that hold vents, in one of the shapes of `CachedVents`. */
export const ventsKey = ['vents'] as const;

interface Page {
  readonly vents: readonly VentView[];
}

/** One vent, a page, or the pages of an infinite query. */
type CachedVents = VentView | Page | InfiniteData<Page>;

function mapPage(page: Page, change: (vents: readonly VentView[]) => readonly VentView[]): Page {
  const vents = change(page.vents);
  return vents === page.vents ? page : { ...page, vents };
}

function mapCached(
  cached: CachedVents,
  change: (vents: readonly VentView[]) => readonly VentView[],
): CachedVents {
  if ('pages' in cached) {
    const pages = cached.pages.map((page) => mapPage(page, change));
    return pages.every((page, index) => page === cached.pages[index]) ? cached : { ...cached, pages };
  }
  if ('vents' in cached) return mapPage(cached, change);
  return change([cached])[0] ?? cached;
}

/** Keeps the age of what is cached: `setQueriesData` would mark all lists as fetched now, even invalidated ones. */
function changeCached(client: QueryClient, change: (cached: CachedVents) => CachedVents): void {
  for (const { queryKey, state } of client.getQueryCache().findAll({ queryKey: ventsKey })) {
    const cached = state.data as CachedVents | undefined;
    const data = cached && change(cached);
    if (data === cached) continue;
    // Setting data ends an invalidation. At age 0 it is as stale.
    client.setQueryData(queryKey, data, { updatedAt: state.isInvalidated ? 0 : state.dataUpdatedAt });
  }
}

/** Changes one vent in all cached queries. */
export function patchVent(client: QueryClient, id: string, change: (vent: VentView) => VentView): void {
  changeCached(client, (cached) =>
    mapCached(cached, (vents) =>
      vents.some(({ _id }) => _id === id)
        ? vents.map((vent) => (vent._id === id ? change(vent) : vent))
        : vents,
    ),
  );
}

/** Changes all of the user's own vents in all cached queries. */
export function patchOwnVents(client: QueryClient, change: (vent: VentView) => VentView): void {
  changeCached(client, (cached) =>
    mapCached(cached, (vents) =>
      vents.some(({ isOwner }) => isOwner)
        ? vents.map((vent) => (vent.isOwner ? change(vent) : vent))
        : vents,
    ),
  );
}

/** Removes a vent from all cached lists. Callers refetch to fill the gap. */
export function dropVent(client: QueryClient, id: string): void {
  changeCached(client, (cached) =>
    'vents' in cached || 'pages' in cached
      ? mapCached(cached, (vents) =>
          vents.some(({ _id }) => _id === id) ? vents.filter(({ _id }) => _id !== id) : vents,
        )
      : cached,
  );
}

/** Finds a vent in any cached query. */
export function findVent(client: QueryClient, id: string): VentView | undefined {
  for (const [, cached] of client.getQueriesData<CachedVents>({ queryKey: ventsKey })) {
    if (!cached) continue;
    const pages = 'pages' in cached ? cached.pages : 'vents' in cached ? [cached] : [{ vents: [cached] }];
    for (const { vents } of pages) {
      const found = vents.find(({ _id }) => _id === id);
      if (found) return found;
    }
  }
  return undefined;
}

export function withReaction(vent: VentView, type: ReactionType, isActive: boolean): VentView {
  if (vent.myReactions.includes(type) === isActive) return vent;
  const count = Math.max(0, vent.reactions[type] + (isActive ? 1 : -1));
  return {
    ...vent,
    reactions: { ...vent.reactions, [type]: count },
    myReactions: isActive ? [...vent.myReactions, type] : vent.myReactions.filter((one) => one !== type),
  };
}

export function withCommentsAllowed(vent: VentView, allowComments: boolean): VentView {
  return { ...vent, userId: { ...vent.userId, allowComments } };
}

export function withComment(vent: VentView, comment: CommentView): VentView {
  return { ...vent, comments: [...vent.comments, comment], commentCount: vent.commentCount + 1 };
}

/** Replaces the optimistic comment by the server's. A list fetched meanwhile may contain it already. */
export function withCommentConfirmed(vent: VentView, optimisticId: string, comment: CommentView): VentView {
  const has = (id: string) => vent.comments.some(({ _id }) => _id === id);
  if (!has(optimisticId)) return has(comment._id) ? vent : withComment(vent, comment);
  if (has(comment._id)) return withoutComment(vent, optimisticId);
  return { ...vent, comments: vent.comments.map((one) => (one._id === optimisticId ? comment : one)) };
}

/** Decrements the count even if the comment is not among the loaded ones. */
export function withoutComment(vent: VentView, id: string): VentView {
  return {
    ...vent,
    comments: vent.comments.filter(({ _id }) => _id !== id),
    commentCount: Math.max(0, vent.commentCount - 1),
  };
}
