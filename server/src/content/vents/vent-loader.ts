import type { VentView } from '@unsaid/contract';
import { listNewestComments } from '../comments/comments.ts';
import type { CommentsByVent } from '../comments/comments.view.ts';
import type { ContentDb } from '../../platform/db.ts';
import { ventPlace, type EncryptedAuthor } from '../../kernel/speakers.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { listOwnReactions } from '../reactions/reactions.ts';
import { findVents, type VentRow } from '../feed/feed.hot.queries.ts';
import { isOver, type VentState } from './vents.state.ts';
import {
  publicVentView,
  ventViewFor,
  type LoadedVent,
  type LoadedVents,
  type VentList,
} from './vents.view.ts';
import type { ContentContext } from '../context.ts';

/** Loads vents by id and presents them to a viewer, in two steps: the first is the same for all readers. */

const toLoaded = (ctx: ContentContext, row: VentRow, byVent: CommentsByVent): LoadedVent => ({
  row,
  author: { ...ventPlace(row.id), speaker: row.speaker },
  publicView: publicVentView(row, byVent, ctx.publicIds, ctx.isHeavy(row)),
});

/** For several readers at once: a vent requested by ten readers is loaded and rendered once. */
export async function loadVentLists(
  ctx: ContentContext,
  from: ContentDb,
  lists: readonly VentList[],
): Promise<LoadedVents[]> {
  const ids = [...new Set(lists.flatMap((list) => list.ids))];
  const [rows, commentsByVent] = await Promise.all([
    findVents(from, ids),
    listNewestComments(ctx, from, ids),
  ]);
  const now = ctx.clock.now();
  const loaded = new Map(
    rows
      .filter((row) => !isOver(row, now))
      .map((row): [bigint, LoadedVent] => [row.id, toLoaded(ctx, row, commentsByVent)]),
  );
  return lists.map((list) => ({
    vents: list.ids.flatMap((id) => {
      const vent = loaded.get(id);
      return vent && list.states.includes(vent.row.state) ? [vent] : [];
    }),
    comments: commentsByVent,
  }));
}

/** In the order of the ids, without those in another state or whose time is over. */
export const loadVents = (
  ctx: ContentContext,
  from: ContentDb,
  ids: readonly bigint[],
  states: readonly VentState[] = ['visible'],
) => ctx.batched.loadVents(from, { ids, states });

/** Of these ids, in their order, those that lists do not fold. */
export async function listLightVents(
  ctx: ContentContext,
  from: ContentDb,
  ids: readonly bigint[],
): Promise<bigint[]> {
  const unknown = ids.filter((id) => ctx.isHeavy.known(id) === undefined);
  for (const row of await findVents(from, unknown)) ctx.isHeavy(row);
  return ids.filter((id) => ctx.isHeavy.known(id) === false);
}

/** To its author, who has just written it: nobody has reacted or commented. */
export function presentNewVent(ctx: ContentContext, viewer: Viewer, row: VentRow): VentView {
  const none = { rows: new Map(), names: new Map() };
  const vent = toLoaded(ctx, row, none);
  const reader = { viewer, own: new Set([vent.author]), hiding: null, isAskedFor: true };
  return ventViewFor(reader, vent, none, [], ctx.publicIds);
}

/** Adds the viewer's own reactions, marks what is theirs and hides what they do not want to see. */
export async function presentVents(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  { vents, comments: commentsByVent }: LoadedVents,
  { isAskedFor }: { readonly isAskedFor: boolean } = { isAskedFor: false },
) {
  const [mine, hiding] = await Promise.all([
    listOwnReactions(
      ctx,
      from,
      viewer.person,
      vents.map(({ row }) => row.id),
    ),
    ctx.ports.choices.findHiding(viewer.userId),
  ]);
  const authors = vents.flatMap(({ row, author }): EncryptedAuthor[] => [
    author,
    ...(commentsByVent.rows.get(row.id) ?? []),
  ]);
  const own = ctx.speakers.ownAmong(authors, viewer.person.speakerId);
  const reader = { viewer, own, hiding, isAskedFor };
  return vents.map((vent) =>
    ventViewFor(reader, vent, commentsByVent, mine.get(vent.row.id) ?? [], ctx.publicIds),
  );
}
