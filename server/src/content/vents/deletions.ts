import { keepDays } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import type { Subject } from '../../kernel/subjects.ts';
import { dayMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { Holds } from '../ports.ts';
import * as queries from './deletions.queries.ts';
import { isOver } from './vents.state.ts';

/** Hard deletion of vents, with everything that refers to them. */
export type VentDeletions = ReturnType<typeof createVentDeletions>;

interface VentDeletionsDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly holds: Holds;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

const batchSize = 100;
const markedAtOnce = 500;
const ventsThatAreOver = rowsOf('content', 'vents that are over', (id: bigint) => id, markedAtOnce);
const deletedVents = rowsOf('content', 'deleted vents', ({ id }: queries.DeletedVent) => id);

export function createVentDeletions({ db, clock, holds, feedCache }: VentDeletionsDeps) {
  /** One transaction a vent: a vent with many comments takes long, and its writers wait. */
  const hardDelete = (ventId: bigint) => transaction(db, (tx) => queries.deleteVentRow(tx, ventId));

  return {
    /** Marks vents as deleted whose authors chose how long they stay. */
    async markOver(rows: JobRows): Promise<void> {
      for (const days of keepDays) {
        const createdBefore = new Date(clock.now() - days * dayMs);
        const pages = inPages(markedAtOnce, {
          from: 0n,
          list: (after) =>
            queries.listOver(db, { keepDays: days, createdBefore, after, limit: markedAtOnce }),
          cursorOf: (id) => id,
        });
        for await (const ids of pages) {
          await rows.eachBatch(ids, ventsThatAreOver, (batch) => queries.markOver(db, batch));
          if (ids.length > 0) await feedCache.invalidateAll();
        }
      }
    },
    /**
     * Deletes the rows of vents that their authors deleted, or whose time is over. Readers do not see them any more. Where the
     * time is over and a severe case is open, the bare row stays until that is closed.
     */
    async processDeletions(rows: JobRows): Promise<void> {
      const pages = inPages(batchSize, {
        from: 0n,
        list: (after) => queries.listDeleted(db, after, batchSize),
        cursorOf: ({ id }) => id,
      });
      for await (const vents of pages)
        await rows.each(vents, deletedVents, async (vent) => {
          if (isOver(vent, clock.now()) && (await holds.isHeld({ kind: 'vent', ventId: vent.id })))
            await transaction(db, (tx) => queries.emptyVent(tx, vent.id));
          else await hardDelete(vent.id);
        });
    },
    /** Those of the slot keys that a vent has, in any state. */
    slotsInUse: (slotKeys: readonly Buffer[]) => queries.listSlotsInUse(db, slotKeys),
    /** False where no vent has the slot key. */
    async removeInSlot(slotKey: Buffer): Promise<boolean> {
      const ventId = await queries.findIdInSlot(db, slotKey);
      return ventId !== null && hardDelete(ventId);
    },
    async subjectInSlot(slotKey: Buffer): Promise<Subject | null> {
      const ventId = await queries.findIdInSlot(db, slotKey);
      return ventId === null ? null : { kind: 'vent', ventId };
    },
  };
}
