import { transaction, type Databases } from '../platform/db.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import { deleteVentRow } from './deletions.queries.ts';
import * as queries from './vent-moderation.queries.ts';
import { findVents, type VentRow } from './vents.queries.ts';
import type { ModerationEvent } from './vents.state.ts';

/** What moderation reads of a vent, and what a decision does to it. */
export interface VentModeration {
  /** In every state, with its encrypted author. */
  find(ventId: bigint): Promise<VentRow | null>;
  /** Nothing happens where the state does not allow it: repeated, or deleted by its author. */
  apply(ventId: bigint, event: ModerationEvent): Promise<void>;
  /** Without those that their authors deleted. */
  listExisting(ventIds: readonly bigint[]): Promise<bigint[]>;
  /** The vent as a stranger reads it. Null where strangers cannot. */
  findText(ventId: bigint): Promise<{ readonly title: string; readonly body: string } | null>;
  /** Deletes the row of a vent that was removed, with everything that refers to it. */
  deleteRemoved(ventId: bigint): Promise<void>;
  /** Nightly: rewrites these rows in the order of their ids. */
  rewrite(ventIds: readonly bigint[]): Promise<void>;
}

interface VentModerationDeps {
  readonly db: Databases;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

export function createVentModeration({ db, feedCache }: VentModerationDeps): VentModeration {
  return {
    find: async (ventId) => (await findVents(db.content, [ventId]))[0] ?? null,
    async apply(ventId, event) {
      if (await queries.changeState(db.content, ventId, event)) await feedCache.invalidateAll();
    },
    listExisting: (ventIds) => queries.listExisting(db.content, ventIds),
    findText: (ventId) => queries.findText(db.content, ventId),
    deleteRemoved: (ventId) =>
      transaction(db.content, async (tx) => {
        if (await queries.lockRemoved(tx, ventId)) await deleteVentRow(tx, ventId);
      }),
    async rewrite(ventIds) {
      for (const ventId of [...new Set(ventIds)].toSorted((a, b) => (a < b ? -1 : 1)))
        await queries.rewrite(db.content, ventId);
    },
  };
}
