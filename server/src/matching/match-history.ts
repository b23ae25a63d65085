import type { MatchingBase } from '../kernel/base.ts';
import { limits, type MatchHistoryItem, type PendingMatch } from '@unsaid/contract';
import { addDays, today, type Day } from '../platform/clock.ts';
import type { Viewer } from '../kernel/viewer.ts';
import * as queries from './matches.queries.ts';
import { statusFor } from './matches.state.ts';
import { historyView, pendingView, yesView, type YesView } from './matches.view.ts';
import type { FindsPeople } from './ports.ts';
import type { PairReader } from './pairs.ts';
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

/** Reads a person's answered pairs: pending, past, and for the data export. */
export interface MatchHistoryService {
  listPending(viewer: Viewer): Promise<{ receivedMatches: PendingMatch[]; sentMatches: PendingMatch[] }>;
  listPast(viewer: Viewer): Promise<MatchHistoryItem[]>;
  /** Yeses of others, newest first: those that wait for an answer, and those of the last 30 days that came second. */
  listYeses(userId: bigint): Promise<YesOfOther[]>;
  /** The same of several people, without what is shown of them: two statements for all. In the order of the ids. */
  listYesesOfMany(userIds: readonly bigint[]): Promise<Pick<YesOfOther, 'pairId' | 'day'>[][]>;
  /** The account behind a peer id: while the pair is open or mutual, or as long as it is listed. */
  findPeer(viewer: Viewer, shownId: string, which?: 'live' | 'listed'): Promise<bigint | null>;
  exportPairs(userId: bigint): Promise<unknown>;
}

/** A yes that the other person said last. */
export interface YesOfOther extends YesView {
  readonly pairId: bigint;
  /** When it came second. Null while it waits for an answer: the day would tell when a named person was here. */
  readonly day: Day | null;
}

const historyLength = 100;
const newsDays = 30;

interface MatchHistoryDeps extends Pick<MatchingBase, 'db' | 'clock' | 'publicIds'> {
  readonly pairs: PairReader;
  readonly people: FindsPeople;
}

export function createMatchHistoryService({
  db,
  clock,
  publicIds,
  pairs,
  people,
}: MatchHistoryDeps): MatchHistoryService {
  /** The newest yeses of others among these pairs. */
  function yesesAmong(live: readonly PairView[]): PairView[] {
    const since = addDays(today(clock), -newsDays);
    const yeses = live.filter(
      (pair) => waitsForMe(pair) || (cameSecond(pair) && (pair.theirs.on ?? '') >= since),
    );
    return newestFirst(yeses, 'theirs').slice(0, limits.matchesWatched);
  }

  const dayOfYes = (pair: PairView) => (cameSecond(pair) ? pair.theirs.on : null);

  return {
    async listPending({ userId }) {
      const live = await pairs.listLive(db, userId);
      const received = live.filter(waitsForMe);
      const sent = live.filter(({ state }) => statusFor(state) === 'pending');
      const [fromOthers, fromMe] = await Promise.all([
        pairs.toPairsFor(userId, newestFirst(received, 'theirs')),
        pairs.toPairsFor(userId, newestFirst(sent, 'mine')),
      ]);
      return {
        receivedMatches: fromOthers.map((pair) => pendingView(pair, 'other', publicIds)),
        sentMatches: fromMe.map((pair) => pendingView(pair, 'me', publicIds)),
      };
    },

    async listPast({ userId }) {
      const past = (await pairs.listAll(db, userId))
        .filter((pair) => isInHistory(pair, today(clock)))
        .map((pair) => {
          const status = statusFor(pair.state) ?? 'closed';
          return { pair, status, ...lastChangeOf(pair, status) };
        })
        .toSorted((one, other) => compareMoments(other, one))
        .slice(0, historyLength);
      const shown = await pairs.toPairsFor(
        userId,
        past.map(({ pair }) => pair),
      );
      const byId = new Map(past.map(({ pair, status, day }) => [pair.row.id, { status, day }]));
      return shown.map((pair) =>
        historyView(pair, byId.get(pair.id) ?? { status: 'closed', day: '' }, publicIds),
      );
    },

    async listYeses(userId) {
      const yeses = yesesAmong(await pairs.listLive(db, userId));
      if (yeses.length === 0) return [];
      const shown = await pairs.toPairsFor(userId, yeses);
      const days = new Map(yeses.map((pair) => [pair.row.id, dayOfYes(pair)]));
      return shown.map((pair) => ({
        pairId: pair.id,
        day: days.get(pair.id) ?? null,
        ...yesView(pair, publicIds),
      }));
    },

    async listYesesOfMany(userIds) {
      const live = await pairs.listLiveOfMany(db, userIds);
      const yeses = live.map(yesesAmong);
      const others = yeses.flat().map(({ otherId }) => otherId);
      // People who are leaving are left out, as in `listYeses`.
      const names = others.length > 0 ? await people.names(others) : new Map();
      return yeses.map((list) =>
        list
          .filter(({ otherId }) => names.has(otherId))
          .map((pair) => ({ pairId: pair.row.id, day: dayOfYes(pair) })),
      );
    },

    async findPeer(viewer, shownId, which = 'live') {
      // The same statement for a forged id, so that its timing does not differ.
      const row = await queries.findPair(db, publicIds.peer.decode(shownId) ?? -1n);
      const pair = row && pairs.view(row, viewer.userId);
      const isShown = pair && (which === 'live' ? isLive(pair) : !isExpired(pair.details, today(clock)));
      return isShown ? pair.otherId : null;
    },

    async exportPairs(userId) {
      const all = await pairs.listAll(db, userId);
      const shown = await pairs.toPairsFor(
        userId,
        all.filter((pair) => isInHistory(pair, today(clock)) || !pair.state.isClosed),
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
    },
  };
}

const waitsForMe = (pair: PairView) => pair.state.mine === 'none' && hasTheirYes(pair);

/** Both said yes, the other person last. */
const cameSecond = (pair: PairView) =>
  statusFor(pair.state) === 'accepted' &&
  compareMoments(saidYesAt(pair, 'theirs'), saidYesAt(pair, 'mine')) > 0;

const newestFirst = (pairs: readonly PairView[], whose: 'mine' | 'theirs') =>
  pairs.toSorted((one, other) => compareMoments(saidYesAt(other, whose), saidYesAt(one, whose)));
