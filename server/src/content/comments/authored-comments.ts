import { limits } from '@unsaid/contract';
import type { Person } from '../../kernel/person-keys.ts';
import type { Subject } from '../../kernel/subjects.ts';
import { dayInIndia, type Day } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { findLastSlot, descendingBatches, withGaps } from '../slots/slots.ts';
import { recordDeletion } from './comments.ts';
import * as queries from './comments.queries.ts';
import { listThreads, type WatchedThread } from './threads.queries.ts';
import type { ContentContext } from '../context.ts';

export type { ThreadRow, WatchedThread } from './threads.queries.ts';

/** The comments of one person, found by their slots: for their inbox, their export and their leaving. */

export interface OwnCommentPlace extends Omit<queries.CommentPlace, 'position'> {
  /** Its number among the person's own. */
  readonly number: number;
}

const batchSize = 1000;

/** All comments of a person in every voice and state, in the order of writing, in batches. */
export async function* listAuthoredComments(
  ctx: ContentContext,
  person: Person,
): AsyncGenerator<queries.OwnCommentRow[]> {
  const last = await findLastSlot(ctx, person, 'comment');
  for (let first = 1; first <= last; first += batchSize) {
    const numbers = Array.from({ length: Math.min(batchSize, last - first + 1) }, (_, n) => first + n);
    yield await queries.listBySlots(ctx.db, person.slotKeys('comment', numbers));
  }
}

/** Where a person's newest comments are, in every voice, newest first. They have written `atLeast` so many. */
export async function listNewestPlaces(
  ctx: ContentContext,
  person: Person,
  atLeast: number,
): Promise<OwnCommentPlace[]> {
  const today = dayInIndia(ctx.clock.now());
  const found: OwnCommentPlace[] = [];
  const last = await findLastSlot(ctx, person, 'comment', atLeast);
  for (const numbers of descendingBatches(last, withGaps(limits.commentsWatched))) {
    const keys = Buffer.concat(person.slotKeys('comment', numbers));
    for (const { position, ...place } of await queries.listPlaces(ctx.db, keys, today))
      found.push({ ...place, number: numbers[position] as number });
    if (found.length >= limits.commentsWatched) break;
  }
  return found.slice(0, limits.commentsWatched);
}

/** The newest comment of others on each vent, and those not seen, without vents that are not visible. */
export const readThreads = (ctx: ContentContext, threads: readonly WatchedThread[], fromDay: Day) =>
  listThreads(ctx.db, threads, fromDay);

/** Whether a visible comment of this person carries their name. */
export async function hasNamedComment(ctx: ContentContext, person: Person): Promise<boolean> {
  for await (const rows of listAuthoredComments(ctx, person))
    if (rows.some(({ voice, state }) => voice === 'named' && state === 'visible')) return true;
  return false;
}

/** Those of the slot keys that a comment has. */
export const commentSlotsInUse = (ctx: ContentContext, slotKeys: readonly Buffer[]) =>
  queries.listSlotsInUse(ctx.db, slotKeys);

/** For people who left. False where no comment has the slot key. */
export const removeCommentInSlot = (ctx: ContentContext, slotKey: Buffer) =>
  inTransaction(ctx, async (ctx, afterCommit) => {
    const [id] = await queries.listBySlots(ctx.db, [slotKey]);
    if (!id) return false;
    await queries.lockVent(ctx.db, id.ventId);
    const deleted = await queries.deleteComment(ctx.db, id);
    if (deleted) await recordDeletion(ctx, id.ventId, deleted, afterCommit);
    return deleted !== undefined;
  });

export async function commentInSlot(ctx: ContentContext, slotKey: Buffer): Promise<Subject | null> {
  const [found] = await queries.listBySlots(ctx.db, [slotKey]);
  return found ? { kind: 'comment', ventId: found.ventId, no: found.no } : null;
}
