import type { MatchingBase } from '../kernel/base.ts';
import { today } from '../platform/clock.ts';
import { transaction } from '../platform/db.ts';
import type { PairKeys } from './pair-keys.ts';
import * as queries from './matches.queries.ts';

/** Deletes and rewrites rows of pairs. */
export interface PairMaintenance {
  /** Rewrites the day's pairs in id order, so that physical row order does not reveal write order. */
  settle(options: { readonly isFinal: boolean }): Promise<void>;
  /** Deletes pairs whose rematch cooldown is over. */
  deleteExpired(): Promise<void>;
  erase(userId: bigint): Promise<void>;
}

const rewriteBatchSize = 1000;

interface PairMaintenanceDeps extends Pick<MatchingBase, 'db' | 'clock'> {
  readonly pairKeys: PairKeys;
}

export function createPairMaintenance({ db, clock, pairKeys }: PairMaintenanceDeps): PairMaintenance {
  return {
    async settle({ isFinal }) {
      for (let after: bigint | null = -1n; after !== null;) {
        const batch: queries.RewriteBatch = { after, limit: rewriteBatchSize, isFinal };
        after = await transaction(db, async (tx) => {
          await queries.lockRewrite(tx, 'rewrite');
          return queries.rewriteInIdOrder(tx, batch);
        });
      }
    },

    deleteExpired: () => queries.deleteExpiredPairs(db, today(clock)),

    erase: (userId) =>
      transaction(db, async (tx) => {
        await queries.lockPeople(tx, [pairKeys.lockOf(userId)]);
        await queries.lockRewrite(tx, 'delete');
        await queries.deletePairs(tx, pairKeys.encode(userId));
      }),
  };
}
