import type { ContentDb, Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { PrivacySubject } from '../privacy/privacy.registry.ts';
import * as queries from './own-comments.queries.ts';
import { findLastTaken } from './slot-search.ts';

/**
 * How somebody's own comments are found, though no list of them is kept. Those they made as Anonymous stand in their
 * slots 1, 2, 3, …: a comment carries the key of its slot, which tells nothing to whoever lacks the secret. That a
 * slot was taken is kept apart and for good, so that they have no gaps and the last of them can be searched for; a
 * count would change whenever its owner speaks, and so would tie their comments together (docs/adr/0006).
 */
export interface OwnComments {
  /** The key of the next slot, which is theirs if the transaction commits. */
  takeSlot(tx: ContentDb, authorKey: Buffer): Promise<Buffer>;
  /** Of all that somebody wrote, in the order in which it was written. */
  idsOf(subject: PrivacySubject): Promise<bigint[]>;
}

const slotsAtOnce = 1000;
const rowsAtOnce = 5000;

export function createOwnComments({ db, seals }: { db: Databases; seals: Seals }): OwnComments {
  const lastTaken = (on: ContentDb, authorKey: Buffer) =>
    findLastTaken((places) =>
      queries.countTaken(
        on,
        places.map((place) => seals.takenKey(authorKey, place)),
      ),
    );

  async function idsInSlots(authorKey: Buffer): Promise<bigint[]> {
    const last = await lastTaken(db.content, authorKey);
    const ids: bigint[] = [];
    for (let first = 1; first <= last; first += slotsAtOnce) {
      const count = Math.min(slotsAtOnce, last - first + 1);
      const keys = Array.from({ length: count }, (_, n) => seals.slotKey(authorKey, first + n));
      ids.push(...(await queries.listIdsInSlots(db.content, keys)));
    }
    return ids;
  }

  async function idsWithoutSlot(userId: bigint): Promise<bigint[]> {
    const ids: bigint[] = [];
    for (let after = 0n; ;) {
      const batch = await queries.listWithoutSlot(db.content, after, rowsAtOnce);
      for (const { id, ventId, writerKey } of batch)
        if (writerKey?.equals(seals.commentKey(userId, ventId))) ids.push(id);
      const last = batch.at(-1);
      if (!last) return ids;
      after = last.id;
    }
  }

  return {
    async takeSlot(tx, authorKey) {
      let place = (await lastTaken(tx, authorKey)) + 1;
      while (!(await queries.takeSlot(tx, seals.takenKey(authorKey, place)))) place += 1;
      return seals.slotKey(authorKey, place);
    },

    async idsOf({ userId, authorKey }) {
      const ids = [
        ...(await queries.listNamedIds(db.content, userId)),
        ...(await queries.listAuthorIds(db.content, authorKey)),
        ...(await idsInSlots(authorKey)),
        ...(await idsWithoutSlot(userId)),
      ];
      return ids.toSorted((a, b) => (a < b ? -1 : 1));
    },
  };
}
