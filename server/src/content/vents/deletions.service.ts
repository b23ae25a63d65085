import type { Subject } from '../../kernel/subjects.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import * as queries from './deletions.queries.ts';

/** Hard deletion of vents, with everything that refers to them. */
export interface VentDeletions {
  /** Deletes the rows of vents that their authors deleted. Readers do not see them any more. */
  processDeletions(): Promise<void>;
  /** Those of the slot keys that a vent has, in any state. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False where no vent has the slot key. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
  subjectInSlot(slotKey: Buffer): Promise<Subject | null>;
}

const batchSize = 100;

export function createVentDeletions({ db }: { db: ContentDb }): VentDeletions {
  /** One transaction a vent: a vent with many comments takes long, and its writers wait. */
  const hardDelete = (ventId: bigint) => transaction(db, (tx) => queries.deleteVentRow(tx, ventId));

  return {
    async processDeletions() {
      for (;;) {
        const ids = await queries.listDeletedIds(db, batchSize);
        for (const id of ids) await hardDelete(id);
        if (ids.length < batchSize) break;
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
