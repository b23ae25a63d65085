import type { CommentView, ReactionType, VentView } from '@unsaid/contract';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';

/** Everything under this key holds vents, in one of the shapes of `Kept`. */
export const ventsKey = ['vents'] as const;

interface Page {
  readonly vents: readonly VentView[];
}

/** One vent, a page of them, or pages read one after the other. */
type Kept = VentView | Page | InfiniteData<Page>;

function mapPage(page: Page, change: (vents: readonly VentView[]) => readonly VentView[]): Page {
  const vents = change(page.vents);
  return vents === page.vents ? page : { ...page, vents };
}

function mapKept(kept: Kept, change: (vents: readonly VentView[]) => readonly VentView[]): Kept {
  if ('pages' in kept) return { ...kept, pages: kept.pages.map((page) => mapPage(page, change)) };
  if ('vents' in kept) return mapPage(kept, change);
  return change([kept])[0] ?? kept;
}

/** Changes one vent wherever it is shown. */
export function patchVent(client: QueryClient, id: string, change: (vent: VentView) => VentView): void {
  client.setQueriesData<Kept>(
    { queryKey: ventsKey },
    (kept) =>
      kept &&
      mapKept(kept, (vents) =>
        vents.some(({ _id }) => _id === id)
          ? vents.map((vent) => (vent._id === id ? change(vent) : vent))
          : vents,
      ),
  );
}

/** Changes all of one's own vents, wherever they are shown. */
export function patchOwnVents(client: QueryClient, change: (vent: VentView) => VentView): void {
  client.setQueriesData<Kept>(
    { queryKey: ventsKey },
    (kept) => kept && mapKept(kept, (vents) => vents.map((vent) => (vent.isOwner ? change(vent) : vent))),
  );
}

/** Takes one vent out of every list; what then moves up is fetched by whoever shows it. */
export function dropVent(client: QueryClient, id: string): void {
  client.setQueriesData<Kept>(
    { queryKey: ventsKey },
    (kept) =>
      kept &&
      ('vents' in kept || 'pages' in kept
        ? mapKept(kept, (vents) => vents.filter(({ _id }) => _id !== id))
        : kept),
  );
}

/** A vent that some list has already brought along. */
export function findVent(client: QueryClient, id: string): VentView | undefined {
  for (const [, kept] of client.getQueriesData<Kept>({ queryKey: ventsKey })) {
    if (!kept) continue;
    const pages = 'pages' in kept ? kept.pages : 'vents' in kept ? [kept] : [{ vents: [kept] }];
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

/** Puts the server's comment where its stand-in is; a list that was fetched meanwhile may have it already. */
export function withCommentConfirmed(vent: VentView, standInId: string, comment: CommentView): VentView {
  const has = (id: string) => vent.comments.some(({ _id }) => _id === id);
  if (!has(standInId)) return has(comment._id) ? vent : withComment(vent, comment);
  if (has(comment._id)) return withoutComment(vent, standInId);
  return { ...vent, comments: vent.comments.map((one) => (one._id === standInId ? comment : one)) };
}

/** Counts it off also when it is older than the comments that came along. */
export function withoutComment(vent: VentView, id: string): VentView {
  return {
    ...vent,
    comments: vent.comments.filter(({ _id }) => _id !== id),
    commentCount: Math.max(0, vent.commentCount - 1),
  };
}
