import { keepDays } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import type { Subject } from '../../kernel/subjects.ts';
import { dayMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { Holds } from '../ports.ts';
import * as queries from './deletions.queries.ts';
import { isOver } from './vents.state.ts';

/** Hard deletion of vents, with everything that refers to them. */
export interface VentDeletions {
  /** Marks vents as deleted whose authors chose how long they stay. */
  markOver(): Promise<void>;
  /**
   * Deletes the rows of vents that their authors deleted, or whose time is over. Readers do not see them any more. Where the
   * time is over and a severe case is open, the bare row stays until that is closed.
   */
  processDeletions(): Promise<void>;
  /** Those of the slot keys that a vent has, in any state. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False where no vent has the slot key. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
  subjectInSlot(slotKey: Buffer): Promise<Subject | null>;
}

interface VentDeletionsDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly holds: Holds;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

const batchSize = 100;
const markedAtOnce = 500;

export function createVentDeletions({ db, clock, holds, feedCache }: VentDeletionsDeps): VentDeletions {
  /** One transaction a vent: a vent with many comments takes long, and its writers wait. */
  const hardDelete = (ventId: bigint) => transaction(db, (tx) => queries.deleteVentRow(tx, ventId));

  return {
    async markOver() {
      for (const days of keepDays) {
        const createdBefore = new Date(clock.now() - days * dayMs);
        let marked: number;
        do {
          marked = await queries.markOver(db, { keepDays: days, createdBefore, limit: markedAtOnce });
          if (marked > 0) await feedCache.invalidateAll();
        } while (marked === markedAtOnce);
      }
    },
    async processDeletions() {
      let after = 0n;
      for (;;) {
        const vents = await queries.listDeleted(db, after, batchSize);
        for (const vent of vents) {
          after = vent.id;
          if (isOver(vent, clock.now()) && (await holds.isHeld({ kind: 'vent', ventId: vent.id })))
            await transaction(db, (tx) => queries.emptyVent(tx, vent.id));
          else await hardDelete(vent.id);
        }
        if (vents.length < batchSize) break;
      }
    },
    slotsInUse: (slotKeys) => queries.listSlotsInUse(db, slotKeys),
    async removeInSlot(slotKey) {
      const ventId = await queries.findIdInSlot(db, slotKey);
      return ventId !== null && hardDelete(ventId);
    },
    async subjectInSlot(slotKey) {
      const ventId = await queries.findIdInSlot(db, slotKey);
      return ventId === null ? null : { kind: 'vent', ventId };
    },
  };
}
