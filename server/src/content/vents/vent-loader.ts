import type { ContentBase } from '../../kernel/base.ts';
import type { VentView } from '@unsaid/contract';
import type { CommentsByVent, CommentsService } from '../comments/comments.ts';
import type { FindsHiding } from '../ports.ts';
import { createBatcherOn } from '../../platform/batch.ts';
import type { ContentDb } from '../../platform/db.ts';
import { ventPlace, type EncryptedAuthor } from '../../kernel/speakers.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { ReactionsService } from '../reactions/reactions.ts';
import { findVents, type VentRow } from '../feed/feed.hot.queries.ts';
import { createHeaviness } from './heavy.ts';
import { isOver, type VentState } from './vents.state.ts';
import { publicVentView, ventViewFor, type LoadedVent } from './vents.view.ts';

/** Loads vents by id and presents them to a viewer, in two steps: the first is the same for all readers. */
export type VentLoader = ReturnType<typeof createVentLoader>;

export interface LoadedVents {
  readonly vents: readonly LoadedVent[];
  readonly comments: CommentsByVent;
}

interface VentLoaderDeps extends Pick<ContentBase, 'clock' | 'publicIds' | 'speakers'> {
  readonly reactions: ReactionsService;
  readonly comments: CommentsService;
  readonly choices: FindsHiding;
}

interface VentList {
  readonly ids: readonly bigint[];
  /** The states that this reader may see. */
  readonly states: readonly VentState[];
}

export function createVentLoader({
  clock,
  publicIds,
  speakers,
  reactions,
  comments,
  choices,
}: VentLoaderDeps) {
  const isHeavy = createHeaviness();
  const toLoaded = (row: VentRow, byVent: CommentsByVent): LoadedVent => ({
    row,
    author: { ...ventPlace(row.id), speaker: row.speaker },
    publicView: publicVentView(row, byVent, publicIds, isHeavy(row)),
  });
  /** Batches concurrent reads: a vent requested by ten readers is loaded and rendered once. */
  const batchLoadVents = createBatcherOn(
    async (from: ContentDb, lists: readonly VentList[]): Promise<LoadedVents[]> => {
      const ids = [...new Set(lists.flatMap((list) => list.ids))];
      const [rows, commentsByVent] = await Promise.all([
        findVents(from, ids),
        comments.listNewest(from, ids),
      ]);
      const now = clock.now();
      const loaded = new Map(
        rows
          .filter((row) => !isOver(row, now))
          .map((row): [bigint, LoadedVent] => [row.id, toLoaded(row, commentsByVent)]),
      );
      return lists.map((list) => ({
        vents: list.ids.flatMap((id) => {
          const vent = loaded.get(id);
          return vent && list.states.includes(vent.row.state) ? [vent] : [];
        }),
        comments: commentsByVent,
      }));
    },
  );

  return {
    /** In the order of the ids, without those in another state or whose time is over. */
    loadVents: (from: ContentDb, ids: readonly bigint[], states: readonly VentState[] = ['visible']) =>
      batchLoadVents(from, { ids, states }),

    /** Of these ids, in their order, those that lists do not fold. */
    async listLight(from: ContentDb, ids: readonly bigint[]): Promise<bigint[]> {
      const unknown = ids.filter((id) => isHeavy.known(id) === undefined);
      for (const row of await findVents(from, unknown)) isHeavy(row);
      return ids.filter((id) => isHeavy.known(id) === false);
    },

    /** To its author, who has just written it: nobody has reacted or commented. */
    presentNew(viewer: Viewer, row: VentRow): VentView {
      const none = { rows: new Map(), names: new Map() };
      const vent = toLoaded(row, none);
      const reader = { viewer, own: new Set([vent.author]), hiding: null, isAskedFor: true };
      return ventViewFor(reader, vent, none, [], publicIds);
    },

    /** Adds the viewer's own reactions, marks what is theirs and hides what they do not want to see. */
    async presentTo(
      from: ContentDb,
      viewer: Viewer,
      { vents, comments: commentsByVent }: LoadedVents,
      { isAskedFor }: { readonly isAskedFor: boolean } = { isAskedFor: false },
    ) {
      const [mine, hiding] = await Promise.all([
        reactions.listMine(
          from,
          viewer.person,
          vents.map(({ row }) => row.id),
        ),
        choices.findHiding(viewer.userId),
      ]);
      const authors = vents.flatMap(({ row, author }): EncryptedAuthor[] => [
        author,
        ...(commentsByVent.rows.get(row.id) ?? []),
      ]);
      const own = speakers.ownAmong(authors, viewer.person.speakerId);
      const reader = { viewer, own, hiding, isAskedFor };
      return vents.map((vent) =>
        ventViewFor(reader, vent, commentsByVent, mine.get(vent.row.id) ?? [], publicIds),
      );
    },
  };
}
