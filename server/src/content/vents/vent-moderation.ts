import type { ContentBase } from '../../kernel/base.ts';
import { textsSaid } from '@unsaid/contract';
import { ventPlace } from '../../kernel/speakers.ts';
import type { ItemCopy, SubjectOf } from '../../kernel/subjects.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import { findVents } from '../feed/feed.hot.queries.ts';
import { deleteVentRow } from './deletions.queries.ts';
import { paragraphsOf, toSaid } from './said.ts';
import * as queries from './vent-moderation.queries.ts';
import type { ModerationEvent } from './vents.state.ts';

type VentSubject = SubjectOf<'vent'>;
type VentRow = Awaited<ReturnType<typeof findVents>>[number];

/** What a moderator is shown of a vent, with its encrypted author. */
function ventCopy({ id, createdAt, speaker, state, ...said }: VentRow): ItemCopy {
  const posted = { label: 'Posted', text: `${createdAt.toISOString().slice(0, 16)}Z` };
  return {
    snapshot: { paragraphs: [...paragraphsOf(said), posted], excerpt: said.title },
    author: { ...ventPlace(id), speaker },
    words: textsSaid(toSaid(said)).join('\n'),
    unseenAs: state === 'visible' ? null : 'VENT_NOT_FOUND',
  };
}

export interface VentModerationDeps extends Pick<ContentBase, 'db'> {
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

/** What moderation reads of a vent, and what a decision does to it. */
export function createVentModeration({ db, feedCache }: VentModerationDeps) {
  return {
    async read({ ventId }: VentSubject): Promise<ItemCopy> {
      const [vent] = await findVents(db, [ventId]);
      if (!vent || vent.state === 'author_deleted') throw new AppError('VENT_NOT_FOUND');
      return ventCopy(vent);
    },
    async apply({ ventId }: VentSubject, event: ModerationEvent): Promise<void> {
      if (await queries.changeState(db, ventId, event)) await feedCache.invalidateAll();
    },
    async listExisting(subjects: readonly VentSubject[]): Promise<readonly VentSubject[]> {
      const existing = new Set(
        await queries.listExisting(
          db,
          subjects.map(({ ventId }) => ventId),
        ),
      );
      return subjects.filter(({ ventId }) => existing.has(ventId));
    },
    findText: (ventId: bigint) => queries.findText(db, ventId),
    deleteRemoved: ({ ventId }: VentSubject) =>
      transaction(db, async (tx) => {
        if (await queries.lockRemoved(tx, ventId)) await deleteVentRow(tx, ventId);
      }),
    async rewrite(ventIds: readonly bigint[]): Promise<void> {
      for (const ventId of [...new Set(ventIds)].toSorted((a, b) => (a < b ? -1 : 1)))
        await queries.rewrite(db, ventId);
    },
  };
}
