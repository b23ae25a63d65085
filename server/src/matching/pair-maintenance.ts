import { addDays, today, type Day } from '../platform/clock.ts';
import { weeksFrom } from '../platform/coarse-days.ts';
import { inTransaction } from '../platform/db.ts';
import { rowsOf, type JobRows } from '../platform/job.ts';
import { UnreadableRow } from '../platform/job-rows.ts';
import { inPages } from '../platform/pages.ts';
import { rewriteTable } from '../platform/rewrite-rows.ts';
import type { MatchingContext } from './context.ts';
import * as queries from './matches.queries.ts';
import type { PairColumns, PairDetails } from './pair-details.ts';
import { isAccepted, isExpired, newestExpiringWeek, oldestOpenWeek } from './pair-view.ts';

/** Deletes and rewrites rows of pairs. */

const batchSize = 1000;
const pairRows = rowsOf('matching', 'pairs', (id: bigint) => id, batchSize);

/** Rewrites the day's pairs in id order, so that physical row order does not reveal write order. */
export async function settlePairs(
  ctx: MatchingContext,
  rows: JobRows,
  { isFinal }: { readonly isFinal: boolean },
): Promise<void> {
  const options = { where: queries.isFresh, set: { is_fresh: !isFinal } };
  await rewriteTable(ctx.db, rows, queries.rewrittenPairs, options);
}

/** Nightly: pairs of two yeses stay among those that may be open, and pairs whose rematch cooldown is over go. */
export async function renewAndExpirePairs(ctx: MatchingContext, rows: JobRows): Promise<void> {
  const day = today(ctx.clock);
  await renewAndExpireWeek(ctx, rows, oldestOpenWeek(day));
  // Two yeses are here only where the job did not run for weeks.
  const newest = newestExpiringWeek(day);
  for (let week = (await queries.findOldestWeek(ctx.db)) ?? day; week <= newest; week = addDays(week, 7))
    await renewAndExpireWeek(ctx, rows, week);
}

async function renewAndExpireWeek(ctx: MatchingContext, rows: JobRows, week: Day): Promise<void> {
  const pages = inPages(batchSize, {
    from: -1n,
    list: (after) => queries.listIdsOfWeek(ctx.db, week, after, batchSize),
    cursorOf: (id) => id,
  });
  for await (const ids of pages)
    await rows.eachBatch(ids, pairRows, (batch) => renewAndExpireBatch(ctx, week, batch));
}

/** Throws for one that does not open: alone, it counts as no row. */
const renewAndExpireBatch = (ctx: MatchingContext, week: Day, ids: readonly bigint[]) =>
  inTransaction(ctx, async (ctx) => {
    const day = today(ctx.clock);
    await queries.lockRewrite(ctx.db, 'rewrite');
    const opened = (await queries.listPairsById(ctx.db, week, ids)).map((row) => {
      const said = ctx.cipher.open(row);
      if (!said) throw new UnreadableRow();
      return { ...row, said };
    });
    const next = addDays(oldestOpenWeek(day), 7);
    const accepted = opened.filter(({ said }) => isAccepted(said));
    const expired = opened.filter(({ said }) => isExpired(said, day));
    await queries.deletePairsById(
      ctx.db,
      [...accepted, ...expired].map(({ id }) => id),
    );
    await queries.insertPairs(
      ctx.db,
      accepted.map(({ said, ...row }) => inWeek(ctx, row, said, next)),
    );
  });

/** The same pair under the keys of another week. They may be in the other order: then the sides change places. */
function inWeek(
  { pairKeys, cipher }: MatchingContext,
  { id, aKey, bKey, isAskedByA }: queries.PairRow,
  said: PairDetails,
  week: Day,
): queries.PairRow {
  const a = pairKeys.encode(pairKeys.decode(aKey), week);
  const b = pairKeys.encode(pairKeys.decode(bKey), week);
  const isSwapped = a.compare(b) >= 0;
  const columns: PairColumns = isSwapped
    ? { aKey: b, bKey: a, isAskedByA: !isAskedByA, week }
    : { aKey: a, bKey: b, isAskedByA, week };
  const details = isSwapped ? { ...said, a: said.b, b: said.a } : said;
  return { id, ...columns, details: cipher.seal(details, columns) };
}

export function erasePairs(ctx: MatchingContext, userId: bigint): Promise<void> {
  return inTransaction(ctx, async ({ clock, db, pairKeys }) => {
    await queries.lockPeople(db, [pairKeys.lockOf(userId)]);
    await queries.lockRewrite(db, 'delete');
    const oldest = await queries.findOldestWeek(db);
    // A week ahead, for servers whose clocks differ.
    const weeks = oldest === null ? [] : weeksFrom(oldest, addDays(today(clock), 7));
    const mine = await queries.listPairs(db, pairKeys.encodeAll([userId], weeks));
    await queries.deletePairsById(
      db,
      mine.map(({ id }) => id),
    );
  });
}
