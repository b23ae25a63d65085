import { addDays, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import * as queries from './vents.queries.ts';

/** Taking vents out of the database, with everything that hangs on them. */
export interface VentRemoval {
  /** Vents that their authors deleted, which are out of sight already, and marks of writes that nobody sends again. */
  removeDeleted(): Promise<void>;
  /** Those of the keys under which there is a vent, in whatever state. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False where there was none any more. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
}

const removedAtOnce = 100;

export function createVentRemoval({ db, clock }: { db: Databases; clock: Clock }): VentRemoval {
  /** A transaction for each: a vent with much on it takes long, and whoever touches it waits. */
  const remove = (ventId: bigint) => transaction(db.content, (tx) => queries.deleteVentRow(tx, ventId));

  return {
    async removeDeleted() {
      for (;;) {
        const ids = await queries.listDeletedIds(db.content, removedAtOnce);
        for (const id of ids) await remove(id);
        if (ids.length < removedAtOnce) break;
      }
      // Kept for a day at least, and by the day.
      await queries.deleteOldIdempotencyKeys(db.content, addDays(today(clock), -1));
    },
    slotsInUse: (slotKeys) => queries.listSlotsInUse(db.content, slotKeys),
    async removeInSlot(slotKey) {
      const ventId = await queries.findIdInSlot(db.content, slotKey);
      return ventId !== null && remove(ventId);
    },
  };
}
