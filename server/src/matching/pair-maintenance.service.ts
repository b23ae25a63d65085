import type { MatchingBase } from '../kernel/base.ts';
import { addDays, today, type Day } from '../platform/clock.ts';
import { weeksFrom } from '../platform/coarse-days.ts';
import { transaction } from '../platform/db.ts';
import type { PairKeys } from './pair-keys.ts';
import type { PairCipher, PairDetails } from './pair-details.ts';
import { withKeys } from './pair-sides.ts';
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
  function inWeek(row: queries.PairRow, said: PairDetails, week: Day): queries.PairRow {
    const one = pairKeys.encode(pairKeys.decode(row.aKey), week);
    const other = pairKeys.encode(pairKeys.decode(row.bKey), week);
    const { columns, details } = withKeys({ ...row, week }, said, [one, other]);
    return { id: row.id, ...columns, details: cipher.seal(details, columns) };
  }

  async function lookAt(week: Day): Promise<void> {
    const day = today(clock);
    for (let after: bigint | null = -1n; after !== null;) {
      const from: bigint = after;
      after = await transaction(db, async (tx) => {
        await queries.lockRewrite(tx, 'rewrite');
        const rows = await queries.listPairsOfWeek(tx, week, from, batchSize);
        const opened = rows.map((row) => ({ ...row, said: cipher.open(row) }));
        const next = addDays(oldestOpenWeek(day), 7);
        const accepted = opened.filter(({ said }) => isAccepted(said));
        const expired = opened.filter(({ said }) => isExpired(said, day));
        await queries.deletePairsById(
          tx,
          [...accepted, ...expired].map(({ id }) => id),
        );
        await queries.insertPairs(
          tx,
          accepted.map(({ said, ...row }) => inWeek(row, said, next)),
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
        const oldest = await queries.findOldestWeek(tx);
        // A week ahead, for servers whose clocks differ.
        const weeks = oldest === null ? [] : weeksFrom(oldest, addDays(today(clock), 7));
        const mine = await queries.listPairs(tx, pairKeys.encodeAll([userId], weeks));
        await queries.deletePairsById(
          tx,
          mine.map(({ id }) => id),
        );
      }),
  };
}
