import type { PublicName } from '../kernel/people.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { today } from '../platform/clock.ts';
import { inTransaction } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { MatchingContext } from './context.ts';
import * as queries from './matches.queries.ts';
import { decide, type Decision } from './matches.state.ts';
import type { PairDetails } from './pair-details.ts';
import { applyAnswer, endPair, isExpired, isLive, type PairView } from './pair-view.ts';
import { listAllPairs, nextSequenceOf, viewPair } from './pairs.ts';

/** Accepts, rejects, takes back a yes, or ends two yeses. */
export async function decideMatch(
  ctx: MatchingContext,
  viewer: Viewer,
  matchId: string,
  decision: Decision,
): Promise<void> {
  const id = ctx.publicIds.match.decode(matchId) ?? -1n;
  const found = await readOwn(ctx, viewer, id, queries.findPair);
  // The two people of a pair never change.
  const seen = await nameOf(ctx, found?.otherId ?? -1n);
  await inTransaction(ctx, async (ctx) => {
    const pair = await readOwn(ctx, viewer, id, queries.lockPair);
    if (!pair || isExpired(pair.details, today(ctx.clock))) throw new AppError('MATCH_NOT_FOUND');
    const transition = decide(pair.state, decision);
    if (transition === 'too_late') throw new AppError('MATCH_CLOSED');
    if (transition === 'repeat' || transition === 'none') return;
    const answered = await answerOf(ctx, pair, seen);
    await save(
      ctx,
      pair,
      decision === 'part' ? endPair(pair, answered) : applyAnswer(pair, transition, answered),
    );
  });
}

/** Ends an open or mutual pair with this account. The other person sees what they would see after a no. Idempotent. */
export async function endMatchWith(ctx: MatchingContext, viewer: Viewer, otherId: bigint): Promise<void> {
  const seen = await nameOf(ctx, otherId);
  await inTransaction(ctx, async (ctx) => {
    // The locks of a search: one that did not see that this person is hidden has made its pair before.
    await queries.lockPeople(ctx.db, [viewer.userId, otherId].map(ctx.pairKeys.lockOf));
    await queries.lockRewrite(ctx.db, 'delete');
    const all = await listAllPairs(ctx, viewer.userId);
    const found = all.find((one) => one.otherId === otherId);
    const row = found && (await queries.lockPair(ctx.db, found.row.id));
    const pair = row && viewPair(ctx, row, viewer.userId);
    if (pair && isLive(pair)) await save(ctx, pair, endPair(pair, await answerOf(ctx, pair, seen)));
  });
}

/** A concurrent rewrite deletes and reinserts the row: the second read finds it. A pair of others is read twice, too. */
async function readOwn(
  ctx: MatchingContext,
  { userId }: Viewer,
  id: bigint,
  read: typeof queries.findPair,
): Promise<PairView | null> {
  const readOnce = async () => {
    const row = await read(ctx.db, id);
    return row ? viewPair(ctx, row, userId) : null;
  };
  return (await readOnce()) ?? readOnce();
}

/** The name that an answer keeps. Read before the transaction: it is of another schema, and needs a connection of its own. */
const nameOf = async ({ ports }: MatchingContext, otherId: bigint): Promise<PublicName | null> =>
  (await ports.people.names([otherId])).get(otherId) ?? null;

/** What is stored with an answer of today. */
const answerOf = async (ctx: MatchingContext, pair: PairView, seen: PublicName | null) => ({
  today: today(ctx.clock),
  order: await nextSequenceOf(ctx, pair),
  seen,
});

async function save({ cipher, db }: MatchingContext, { row }: PairView, details: PairDetails): Promise<void> {
  await queries.updateDetails(db, row.id, cipher.seal(details, row));
}
