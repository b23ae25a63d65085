import type { MatchingBase } from '../kernel/base.ts';
import { addDays, today, type Day } from '../platform/clock.ts';
import { weeksFrom } from '../platform/coarse-days.ts';
import { transaction } from '../platform/db.ts';
import { rowsOf, type JobRows } from '../platform/job.ts';
import { UnreadableRow } from '../platform/job-rows.ts';
import { rewriteTable } from '../platform/rewrite-rows.ts';
import { inPages } from '../platform/pages.ts';
import type { PairKeys } from './pair-keys.ts';
import type { PairCipher, PairDetails } from './pair-details.ts';
import { withKeys } from './pair-sides.ts';
import * as queries from './matches.queries.ts';
import { isAccepted, isExpired, newestExpiringWeek, oldestOpenWeek } from './pair-view.ts';

/** Deletes and rewrites rows of pairs. */
export interface PairMaintenance {
  /** Rewrites the day's pairs in id order, so that physical row order does not reveal write order. */
  settle(rows: JobRows, options: { readonly isFinal: boolean }): Promise<void>;
  /** Nightly: pairs of two yeses stay among those that may be open, and pairs whose rematch cooldown is over go. */
  renewAndExpire(rows: JobRows): Promise<void>;
  erase(userId: bigint): Promise<void>;
}

const batchSize = 1000;
const pairRows = rowsOf('matching', 'pairs', (id: bigint) => id, batchSize);

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

  /** Throws for one that does not open: alone, it counts as no row. */
  const moveOn = (week: Day, ids: readonly bigint[]) =>
    transaction(db, async (tx) => {
      const day = today(clock);
      await queries.lockRewrite(tx, 'rewrite');
      const opened = (await queries.listPairsById(tx, week, ids)).map((row) => {
        const said = cipher.open(row);
        if (!said) throw new UnreadableRow();
        return { ...row, said };
      });
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
    });

  async function lookAt(rows: JobRows, week: Day): Promise<void> {
    const pages = inPages(batchSize, {
      from: -1n,
      list: (after) => queries.listIdsOfWeek(db, week, after, batchSize),
      cursorOf: (id) => id,
    });
    for await (const ids of pages) await rows.eachBatch(ids, pairRows, (batch) => moveOn(week, batch));
  }

  return {
    async settle(rows, { isFinal }) {
      const options = { where: queries.isFresh, set: { is_fresh: !isFinal } };
      await rewriteTable(db, rows, queries.rewrittenPairs, options);
    },

    async renewAndExpire(rows) {
      const day = today(clock);
      const open = oldestOpenWeek(day);
      await lookAt(rows, open);
      // Two yeses are here only where the job did not run for weeks.
      const newest = newestExpiringWeek(day);
      for (let week = (await queries.findOldestWeek(db)) ?? day; week <= newest; week = addDays(week, 7))
        await lookAt(rows, week);
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
