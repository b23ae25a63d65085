import { limits, type MatchHistoryItem, type PendingMatch } from '@unsaid/contract';
import type { Viewer } from '../kernel/viewer.ts';
import { addDays, today, type Day } from '../platform/clock.ts';
import type { MatchingContext } from './context.ts';
import * as queries from './matches.queries.ts';
import { statusFor } from './matches.state.ts';
import { historyView, pendingView, yesView, type YesView } from './matches.view.ts';
import {
  compareMoments,
  hasTheirYes,
  isExpired,
  isInHistory,
  isLive,
  lastChangeOf,
  saidYesAt,
  type PairView,
} from './pair-view.ts';
import { listAllPairs, listLivePairs, listLivePairsOfMany, toPairsFor, viewPair } from './pairs.ts';

/** A yes that the other person said last. */
export interface YesOfOther extends YesView {
  readonly pairId: bigint;
  /** When it came second. Null while it waits for an answer: the day would tell when a named person was here. */
  readonly day: Day | null;
}

const historyLength = 100;
const newsDays = 30;

export async function listPendingMatches(
  ctx: MatchingContext,
  { userId }: Viewer,
): Promise<{ receivedMatches: PendingMatch[]; sentMatches: PendingMatch[] }> {
  const live = await listLivePairs(ctx, userId);
  const received = live.filter(waitsForMe);
  const sent = live.filter(({ state }) => statusFor(state) === 'pending');
  const [fromOthers, fromMe] = await Promise.all([
    toPairsFor(ctx, userId, newestFirst(received, 'theirs')),
    toPairsFor(ctx, userId, newestFirst(sent, 'mine')),
  ]);
  return {
    receivedMatches: fromOthers.map((pair) => pendingView(pair, 'other', ctx.publicIds)),
    sentMatches: fromMe.map((pair) => pendingView(pair, 'me', ctx.publicIds)),
  };
}

export async function listPastMatches(ctx: MatchingContext, { userId }: Viewer): Promise<MatchHistoryItem[]> {
  const past = (await listAllPairs(ctx, userId))
    .filter((pair) => isInHistory(pair, today(ctx.clock)))
    .map((pair) => {
      const status = statusFor(pair.state) ?? 'closed';
      return { pair, status, ...lastChangeOf(pair, status) };
    })
    .toSorted((one, other) => compareMoments(other, one))
    .slice(0, historyLength);
  const byId = new Map(past.map((one) => [one.pair.row.id, one]));
  const shown = await toPairsFor(
    ctx,
    userId,
    past.map(({ pair }) => pair),
  );
  return shown.flatMap((pair) => {
    const change = byId.get(pair.id);
    return change ? [historyView(pair, change, ctx.publicIds)] : [];
  });
}

/** Yeses of others, newest first: those that wait for an answer, and those of the last 30 days that came second. */
export async function listYeses(ctx: MatchingContext, userId: bigint): Promise<YesOfOther[]> {
  const yeses = yesesAmong(await listLivePairs(ctx, userId), today(ctx.clock));
  if (yeses.length === 0) return [];
  const shown = await toPairsFor(ctx, userId, yeses);
  const days = new Map(yeses.map((pair) => [pair.row.id, dayOfYes(pair)]));
  return shown.map((pair) => ({
    pairId: pair.id,
    day: days.get(pair.id) ?? null,
    ...yesView(pair, ctx.publicIds),
  }));
}

/** The same of several people, without what is shown of them: two statements for all. In the order of the ids. */
export async function listYesesOfMany(
  ctx: MatchingContext,
  userIds: readonly bigint[],
): Promise<Pick<YesOfOther, 'pairId' | 'day'>[][]> {
  const live = await listLivePairsOfMany(ctx, userIds);
  const yeses = live.map((pairs) => yesesAmong(pairs, today(ctx.clock)));
  const others = yeses.flat().map(({ otherId }) => otherId);
  // People who are leaving are left out, as in `listYeses`.
  const names = others.length > 0 ? await ctx.ports.people.names(others) : new Map();
  return yeses.map((list) =>
    list
      .filter(({ otherId }) => names.has(otherId))
      .map((pair) => ({ pairId: pair.row.id, day: dayOfYes(pair) })),
  );
}

/** The account behind a peer id: while the pair is open or mutual, or as long as it is listed. */
export async function findPeer(
  ctx: MatchingContext,
  viewer: Viewer,
  shownId: string,
  which: 'live' | 'listed' = 'live',
): Promise<bigint | null> {
  // The same statement for a forged id, so that its timing does not differ.
  const row = await queries.findPair(ctx.db, ctx.publicIds.peer.decode(shownId) ?? -1n);
  const pair = row && viewPair(ctx, row, viewer.userId);
  const isShown = pair && (which === 'live' ? isLive(pair) : !isExpired(pair.details, today(ctx.clock)));
  return isShown ? pair.otherId : null;
}

export async function exportPairs(ctx: MatchingContext, userId: bigint): Promise<unknown> {
  const all = await listAllPairs(ctx, userId);
  const shown = await toPairsFor(
    ctx,
    userId,
    all.filter((pair) => isInHistory(pair, today(ctx.clock)) || !pair.state.isClosed),
  );
  // Sorted by random id: in row order, a recently written row would reveal that the other has answered.
  return shown
    .toSorted((one, other) => Number(one.id - other.id))
    .map(({ other, state, isTakenBack, basis }) => ({
      with: other.username ?? 'Anonymous',
      status: statusFor(state) ?? 'suggested',
      takenBack: isTakenBack,
      matchScore: basis.score,
      commonEmotions: basis.emotions,
    }));
}

/** The newest yeses of others among these pairs. */
function yesesAmong(live: readonly PairView[], today: Day): PairView[] {
  const since = addDays(today, -newsDays);
  const yeses = live.filter(
    (pair) => waitsForMe(pair) || (cameSecond(pair) && (pair.theirs.on ?? '') >= since),
  );
  return newestFirst(yeses, 'theirs').slice(0, limits.matchesWatched);
}

const dayOfYes = (pair: PairView) => (cameSecond(pair) ? pair.theirs.on : null);

const waitsForMe = (pair: PairView) => pair.state.mine === 'none' && hasTheirYes(pair);

/** Both said yes, the other person last. */
const cameSecond = (pair: PairView) =>
  statusFor(pair.state) === 'accepted' &&
  compareMoments(saidYesAt(pair, 'theirs'), saidYesAt(pair, 'mine')) > 0;

const newestFirst = (pairs: readonly PairView[], whose: 'mine' | 'theirs') =>
  pairs.toSorted((one, other) => compareMoments(saidYesAt(other, whose), saidYesAt(one, whose)));
