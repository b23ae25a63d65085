import { limits } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Subject } from '../../kernel/subjects.ts';
import { dayInIndia, type Day } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { descendingBatches, withGaps } from '../slots/descending-batches.ts';
import type { Slots } from '../slots/slots.ts';
import type { VentAccess } from '../vents/vent-access.ts';
import { recordDeletion } from './comment-deletions.ts';
import * as queries from './comments.queries.ts';
import { listThreads, type WatchedThread } from './threads.queries.ts';

export type { ThreadRow, WatchedThread } from './threads.queries.ts';

/** The comments of one person, found by their slots: for their inbox, their export and their leaving. */
export type AuthoredComments = ReturnType<typeof createAuthoredComments>;

export interface OwnCommentPlace extends Omit<queries.CommentPlace, 'position'> {
  /** Its number among the person's own. */
  readonly number: number;
}

interface AuthoredCommentsDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly slots: Slots;
  readonly access: VentAccess;
}

const batchSize = 1000;

export function createAuthoredComments({ db, clock, slots, access }: AuthoredCommentsDeps) {
  async function* listAuthored(person: Person): AsyncGenerator<queries.OwnCommentRow[]> {
    const last = await slots.findLast(person, 'comment');
    for (let first = 1; first <= last; first += batchSize) {
      const numbers = Array.from({ length: Math.min(batchSize, last - first + 1) }, (_, n) => first + n);
      yield await queries.listBySlots(db, person.slotKeys('comment', numbers));
    }
  }

  return {
    /** All comments of a person in every voice and state, in the order of writing, in batches. */
    listAuthored,

    /** Where a person's newest comments are, in every voice, newest first. They have written `atLeast` so many. */
    async listNewestPlaces(person: Person, atLeast: number): Promise<OwnCommentPlace[]> {
      const today = dayInIndia(clock.now());
      const found: OwnCommentPlace[] = [];
      const last = await slots.findLast(person, 'comment', atLeast);
      for (const numbers of descendingBatches(last, withGaps(limits.commentsWatched))) {
        const keys = Buffer.concat(person.slotKeys('comment', numbers));
        for (const { position, ...place } of await queries.listPlaces(db, keys, today))
          found.push({ ...place, number: numbers[position] as number });
        if (found.length >= limits.commentsWatched) break;
      }
      return found.slice(0, limits.commentsWatched);
    },

    /** The newest comment of others on each vent, and those not seen, without vents that are not visible. */
    listThreads: (threads: readonly WatchedThread[], fromDay: Day) => listThreads(db, threads, fromDay),

    /** Whether a visible comment of this person carries their name. */
    async hasNamedComment(person: Person): Promise<boolean> {
      for await (const rows of listAuthored(person))
        if (rows.some(({ voice, state }) => voice === 'named' && state === 'visible')) return true;
      return false;
    },

    /** Those of the slot keys that a comment has. */
    slotsInUse: (slotKeys: readonly Buffer[]) => queries.listSlotsInUse(db, slotKeys),

    /** For people who left. False where no comment has the slot key. */
    removeInSlot: (slotKey: Buffer) =>
      transaction(db, async (tx, afterCommit) => {
        const [id] = await queries.listBySlots(tx, [slotKey]);
        if (!id) return false;
        await queries.lockVent(tx, id.ventId);
        const deleted = await queries.deleteComment(tx, id);
        if (deleted) await recordDeletion(access, tx, id.ventId, deleted, afterCommit);
        return deleted !== undefined;
      }),

    async subjectInSlot(slotKey: Buffer): Promise<Subject | null> {
      const [found] = await queries.listBySlots(db, [slotKey]);
      return found ? { kind: 'comment', ventId: found.ventId, no: found.no } : null;
    },
  };
}
