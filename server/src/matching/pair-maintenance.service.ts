import type { MatchingBase } from '../kernel/base.ts';
import { addDays, today, type Day } from '../platform/clock.ts';
import { transaction } from '../platform/db.ts';
import type { PairKeys } from './pair-keys.ts';
import type { PairCipher } from './pair-details.ts';
import * as queries from './matches.queries.ts';
import { isAccepted, isExpired, newestExpiringWeek, oldestOpenWeek } from './pair-view.ts';

/** Deletes and rewrites rows of pairs. */
export interface PairMaintenance {
  /** Rewrites the day's pairs in id order, so that physical row order does not reveal write order. */
  settle(options: { readonly isFinal: boolean }): Promise<void>;
  /** Nightly: pairs of two yeses stay among those that may be open, and pairs whose rematch cooldown is over go. */
  renewAndExpire(): Promise<void>;
  erase(userId: bigint): Promise<void>;
}

const batchSize = 1000;

interface PairMaintenanceDeps extends Pick<MatchingBase, 'db' | 'clock'> {
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
}

export function createPairMaintenance({ db, clock, pairKeys, cipher }: PairMaintenanceDeps): PairMaintenance {
  async function lookAt(week: Day): Promise<void> {
    const day = today(clock);
    for (let after: bigint | null = -1n; after !== null;) {
      const from: bigint = after;
      after = await transaction(db, async (tx) => {
        await queries.lockRewrite(tx, 'delete');
        const rows = await queries.listPairsOfWeek(tx, week, from, batchSize);
        const opened = rows.map((row) => ({ ...row, said: cipher.open(row) }));
        const next = addDays(oldestOpenWeek(day), 7);
        const accepted = opened.filter(({ said }) => isAccepted(said));
        await queries.moveToWeek(
          tx,
          accepted.map(({ said, ...row }) => ({
            id: row.id,
            details: cipher.seal(said, { ...row, week: next }),
          })),
          next,
        );
        const expired = opened.filter(({ said }) => isExpired(said, day));
        await queries.deletePairsById(
          tx,
          expired.map(({ id }) => id),
        );
        return rows.at(-1)?.id ?? null;
      });
    }
  }

  return {
    async settle({ isFinal }) {
      for (let after: bigint | null = -1n; after !== null;) {
        const batch: queries.RewriteBatch = { after, limit: batchSize, isFinal };
        after = await transaction(db, async (tx) => {
          await queries.lockRewrite(tx, 'rewrite');
          return queries.rewriteInIdOrder(tx, batch);
        });
      }
    },

    async renewAndExpire() {
      const day = today(clock);
      const open = oldestOpenWeek(day);
      await lookAt(open);
      // Two yeses are here only where the job did not run for weeks.
      const newest = newestExpiringWeek(day);
      for (let week = (await queries.findOldestWeek(db)) ?? day; week <= newest; week = addDays(week, 7))
        await lookAt(week);
    },

    erase: (userId) =>
      transaction(db, async (tx) => {
        await queries.lockPeople(tx, [pairKeys.lockOf(userId)]);
        await queries.lockRewrite(tx, 'delete');
        await queries.deletePairs(tx, pairKeys.encode(userId));
      }),
  };
}
