import { keepDays } from '@unsaid/contract';
import type { Subject } from '../../kernel/subjects.ts';
import { dayMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import * as queries from './deletions.queries.ts';
import { isOver } from './vents.state.ts';
import type { ContentContext } from '../context.ts';

/** Hard deletion of vents, with everything that refers to them. */

const batchSize = 100;
const markedAtOnce = 500;
const ventsThatAreOver = rowsOf('content', 'vents that are over', (id: bigint) => id, markedAtOnce);
const deletedVents = rowsOf('content', 'deleted vents', ({ id }: queries.DeletedVent) => id);

/** One transaction a vent: a vent with many comments takes long, and its writers wait. */
const hardDelete = (ctx: ContentContext, ventId: bigint) =>
  inTransaction(ctx, ({ db }) => queries.deleteVentRow(db, ventId));

/** Marks vents as deleted whose authors chose how long they stay. */
export async function markVentsOver(ctx: ContentContext, rows: JobRows): Promise<void> {
  for (const days of keepDays) {
    const createdBefore = new Date(ctx.clock.now() - days * dayMs);
    const pages = inPages(markedAtOnce, {
      from: 0n,
      list: (after) =>
        queries.listOver(ctx.db, { keepDays: days, createdBefore, after, limit: markedAtOnce }),
      cursorOf: (id) => id,
    });
    for await (const ids of pages) {
      await rows.eachBatch(ids, ventsThatAreOver, (batch) => queries.markOver(ctx.db, batch));
      if (ids.length > 0) await ctx.feedCache.invalidateAll();
    }
  }
}

/**
 * Deletes the rows of vents that their authors deleted, or whose time is over. Readers do not see them any more. Where the
 * time is over and a severe case is open, the bare row stays until that is closed.
 */
export async function deleteMarkedVents(ctx: ContentContext, rows: JobRows): Promise<void> {
  const pages = inPages(batchSize, {
    from: 0n,
    list: (after) => queries.listDeleted(ctx.db, after, batchSize),
    cursorOf: ({ id }) => id,
  });
  for await (const vents of pages)
    await rows.each(vents, deletedVents, async (vent) => {
      if (isOver(vent, ctx.clock.now()) && (await ctx.ports.holds.isHeld({ kind: 'vent', ventId: vent.id })))
        await inTransaction(ctx, ({ db }) => queries.emptyVent(db, vent.id));
      else await hardDelete(ctx, vent.id);
    });
}

/** Those of the slot keys that a vent has, in any state. */
export const ventSlotsInUse = (ctx: ContentContext, slotKeys: readonly Buffer[]) =>
  queries.listSlotsInUse(ctx.db, slotKeys);

/** False where no vent has the slot key. */
export async function removeVentInSlot(ctx: ContentContext, slotKey: Buffer): Promise<boolean> {
  const ventId = await queries.findIdInSlot(ctx.db, slotKey);
  return ventId !== null && hardDelete(ctx, ventId);
}

export async function ventInSlot(ctx: ContentContext, slotKey: Buffer): Promise<Subject | null> {
  const ventId = await queries.findIdInSlot(ctx.db, slotKey);
  return ventId === null ? null : { kind: 'vent', ventId };
}
